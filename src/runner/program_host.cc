#include "runner/program_host.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>

#include "base/text.h"
#include "platform/files.h"
#include "platform/process_table.h"
#include "platform/programs.h"
#include "platform/real_clock.h"
#include "platform/service_loop.h"
#include "platform/signals.h"
#include "platform/sockets.h"
#include "runner/printout.h"
#include "runner/program_process.h"
#include "runner/pulse.h"
#include "runner/rhythm.h"
#include "runner/roles.h"
#include "runner/task_limits.h"
#include "runner/texts.h"

namespace holdfast::runner {

namespace {

/// A program that has closed its socket, or that was asked to leave, must end within this time.
constexpr Duration patience_with_an_end = std::chrono::seconds(5);
constexpr std::size_t most_early_stops = 1000;
constexpr std::size_t much_unsent = 1024 * 1024;

/// One run of the program.
struct HostedRun {
    store::Lease lease = 0;
    bool is_fenced = false;
    std::array<PrintStream, 3> streams = {PrintStream("stdout"), PrintStream("stderr"), PrintStream("log")};
    std::size_t unacknowledged = 0;  // bytes of output that the worker has not stored yet
    std::optional<engine::RunProgress> news = {};
    bool was_asked_to_stop = false;
    bool were_processes_told = false;
    std::optional<Duration> kill_at = {};  // what the run has started
    pid_t last_pid = 0;                    // when it began

    [[nodiscard]] std::size_t waiting() const {
        return streams[0].waiting() + streams[1].waiting() + streams[2].waiting();
    }
    [[nodiscard]] bool has_room() const { return unacknowledged + waiting() < Printout::window; }
};

class ProgramHost {
public:
    ProgramHost(const Setup& setup, const platform::CgroupPaths& groups)
        : setup_(setup),
          limits_(groups, setup.limits.memory_bytes),
          lines_(longest_program_line(setup.limits.max_payload)) {}

    [[noreturn]] void run() {
        catch_output();
        watch_children();
        start();
        while (true) {
            const std::vector<pollfd> ready = wait();
            const auto is_ready = [&](int descriptor) {
                return std::ranges::any_of(
                    ready, [&](const pollfd& each) { return each.fd == descriptor && each.revents != 0; });
            };
            if (is_ready(keeper_pipe)) end_process(abandoned_exit);
            if (is_ready(task_socket)) receive(task_socket, tasks_in_);
            if (is_ready(control_socket)) receive(control_socket, control_in_);
            if (is_ready(program_.socket.get())) receive_from_program();
            if (is_ready(children_.get())) note_deaths();
            work_at(platform::machine_time());
            flush();
        }
    }

private:
    // ---- The program ---------------------------------------------------------------------------------------------

    void start() {
        const std::vector<std::string> own = {concat(platform::worker_variable, "=", setup_.worker)};
        auto started = start_program({.command = setup_.program,
                                      .max_payload = setup_.limits.max_payload,
                                      .environment = platform::environment_with(own),
                                      .identity = setup_.identity});
        if (!started) die("cannot be started: " + started.error());
        program_ = std::move(started).value();
    }

    /// The program's stdout and stderr arrive here.
    void catch_output() {
        for (const int each : {STDOUT_FILENO, STDERR_FILENO}) {
            auto [reading, writing] = platform::pipe_pair();
            platform::set_nonblocking(reading.get());
            if (setup_.identity) [[maybe_unused]]
                const int ignored = fchown(writing.get(), setup_.identity->user, setup_.identity->group);
            dup2(writing.get(), each);
            pipes_[each == STDOUT_FILENO ? 0 : 1] = std::move(reading);
        }
    }

    void watch_children() {
        sigset_t signals;
        sigemptyset(&signals);
        sigaddset(&signals, SIGCHLD);
        sigprocmask(SIG_BLOCK, &signals, nullptr);
        children_ = Descriptor(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
    }

    void receive_from_program() {
        const ssize_t got = recv(program_.socket.get(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
        if (got > 0) {
            lines_.feed({buffer_.data(), static_cast<std::size_t>(got)});
        } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
            has_hung_up_ = true;
            if (!end_by_) end_by_ = platform::machine_time() + patience_with_an_end;
        }
        hear_lines();
    }

    /// Stops at a run whose output has no room; the worker's credit continues it.
    void hear_lines() {
        while (can_hear()) {
            const auto line = lines_.next();
            if (!line) break;
            auto message = parse_program_line(*line, setup_.limits.max_payload);
            if (!message) broke_protocol("sent " + message.error());
            if (!hello_ && !std::holds_alternative<ProgramHello>(message.value()))
                broke_protocol("sent another message before its hello");
            std::visit([this](auto& each) { hear(each); }, message.value());
        }
        if (lines_.is_over())
            broke_protocol(
                concat("sent a line of more than ", longest_program_line(setup_.limits.max_payload), " bytes"));
    }

    [[nodiscard]] bool can_hear() const {
        return std::ranges::all_of(runs_, [](const auto& each) { return each.second.has_room(); });
    }

    void hear(ProgramHello& hello) {
        if (hello_) broke_protocol("sent a second hello");
        hello_ = std::move(hello);
        is_alone_ = hello_->concurrency == 1;
        for (const auto& each : platform::descendants_of(getpid())) own_processes_.insert(each.pid);
        own_processes_.insert(program_.pid);
        tasks_out_.send(task_socket, ProgramReady{program_.pid, *hello_});
    }

    void hear(ProgramEnd& end) {
        HostedRun& run = named(end.ended.lease, end.ended.completed ? "result" : "error");
        if (is_alone_) kill_leftovers(run);
        read_rest(run);
        send_news(run, true);
        end.ended.saw_stop = run.was_asked_to_stop && (end.ended.saw_stop || run.were_processes_told);
        const bool is_leaving = has_grown();
        ended_.push_back(std::move(end.ended));
        runs_.erase(run.lease);
        fenced_changed();
        if (is_leaving) leave("it has grown to half of its memory limit");
        if (is_retired_ && runs_.empty()) say_goodbye();
    }

    void hear(ProgramProgress& update) {
        HostedRun& run = named(update.progress.lease, update.progress.checkpoint ? "checkpoint" : "progress");
        if (!run.news) run.news.emplace(engine::RunProgress{.lease = run.lease});
        if (update.progress.fraction) {
            run.news->fraction = update.progress.fraction;
            run.news->text = std::move(update.progress.text);
        }
        if (update.progress.checkpoint) run.news->checkpoint = std::move(update.progress.checkpoint);
    }

    void hear(const ProgramLog& log) {
        HostedRun& run = named(log.lease, "log");
        run.streams[2].add(log.text);
        if (!log.text.ends_with('\n')) run.streams[2].add("\n");
    }

    void hear(const ProgramBye& bye) {
        if (!is_leaving_) leave(bye.reason.empty() ? "it said bye" : one_line(bye.reason).substr(0, 200));
    }

    HostedRun& named(store::Lease lease, std::string_view type) {
        const auto found = runs_.find(lease);
        if (found == runs_.end())
            broke_protocol(concat("sent a message \"", type, "\" for run ", lease, ", which it does not have"));
        return found->second;
    }

    /// The worker answers with Retire, after the last run that it has sent.
    void leave(std::string_view why) {
        is_leaving_ = true;
        tasks_out_.send(task_socket, ProgramLeaves{std::string(why)});
    }

    /// No more runs will come, and none is under way.
    void say_goodbye() {
        if (std::exchange(has_said_goodbye_, true)) return;
        to_program_ += bye_line("leave");
        end_by_ = platform::machine_time() + patience_with_an_end;
    }

    void broke_protocol(const std::string& what) { die(concat("broke the protocol of runner programs: it ", what)); }

    /// The worker learns the reason from the message, and the end from the keeper.
    [[noreturn]] void die(const std::string& how) {
        for (auto& [lease, run] : runs_) {
            read_rest(run);
            send_news(run, true);
        }
        std::string last;
        append_frame(last, ProgramDied{how});
        tell_ends();
        if (control_out_.flush(control_socket) && tasks_out_.flush(task_socket) && tasks_out_.size() == 0)
            [[maybe_unused]]
            const auto sent = ::send(task_socket, last.data(), last.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        end_process(program_exit);
    }

    void note_deaths() {
        signalfd_siginfo ignored{};
        while (read(children_.get(), &ignored, sizeof ignored) > 0) {
        }
        int status = 0;
        for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0;)
            if (pid == program_.pid) note_death(status);
    }

    void note_death(int status) {
        while (!has_hung_up_ && can_hear()) {  // what it sent before
            const ssize_t got = recv(program_.socket.get(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
            if (got <= 0) break;
            lines_.feed({buffer_.data(), static_cast<std::size_t>(got)});
            hear_lines();
        }
        read_output();
        std::string how = exit_text(status);
        if (const auto limit = limits_.broken_in_kernel()) how = "killed: " + *limit;
        if (is_leaving_ && runs_.empty())
            how = "left";
        else if (!last_line_.empty())
            how += ": " + readable_text(last_line_.substr(0, 300));
        die(how);
    }

    // ---- The worker ----------------------------------------------------------------------------------------------

    void receive(int socket, FrameReader& reader) {
        const ssize_t got = recv(socket, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) end_process(abandoned_exit);
        if (got > 0) reader.feed({buffer_.data(), static_cast<std::size_t>(got)});
        while (auto message = reader.next()) obey(*message);
        if (reader.is_broken()) end_process(abandoned_exit);
    }

    void obey(Message& message) {
        if (auto* run = std::get_if<Run>(&message)) begin(*run);
        if (const auto* stop = std::get_if<Stop>(&message)) ask_to_stop(*stop);
        if (const auto* fence = std::get_if<SetFence>(&message)) note_fence(fence->deadline);
        if (std::holds_alternative<Retire>(message)) {
            is_leaving_ = is_retired_ = true;
            if (runs_.empty()) say_goodbye();
        }
        if (const auto* credit = std::get_if<Credit>(&message)) acknowledge(*credit);
    }

    void begin(Run& run) {
        if (is_alone_) read_output();  // what was printed before is not of this run
        HostedRun& hosted = runs_[run.order.lease.lease];
        hosted.lease = run.order.lease.lease;
        hosted.is_fenced = run.order.fenced;
        if (is_alone_) hosted.last_pid = platform::last_pid();
        if (run.fence) note_fence(*run.fence);
        fenced_changed();
        to_program_ += run_line(run.order);
        if (const auto stop = early_stops_.extract(hosted.lease)) ask_to_stop(stop.mapped());
    }

    void ask_to_stop(const Stop& stop) {
        const auto found = runs_.find(stop.lease);
        if (found == runs_.end()) {  // the two sockets have no common order
            if (early_stops_.size() == most_early_stops) early_stops_.clear();  // of runs that have ended
            early_stops_[stop.lease] = stop;
            return;
        }
        HostedRun& run = found->second;
        const Duration kill_at = platform::machine_time() + stop.grace;
        if (is_alone_) run.kill_at = std::min(run.kill_at.value_or(kill_at), kill_at);
        if (is_alone_ && !std::exchange(run.was_asked_to_stop, true) && signal_strangers(SIGTERM) > 0)
            run.were_processes_told = true;
        run.was_asked_to_stop = true;
        to_program_ += stop_line(stop.lease, stop.cause, stop.grace);
    }

    void acknowledge(const Credit& credit) {
        const auto found = runs_.find(credit.lease);
        if (found == runs_.end()) return;
        std::size_t& left = found->second.unacknowledged;
        left -= std::min<std::size_t>(credit.bytes, left);
        hear_lines();
    }

    // ---- The fence -----------------------------------------------------------------------------------------------

    void note_fence(Duration deadline) { fence_ = std::max(fence_.value_or(deadline), deadline); }
    void fenced_changed() {
        is_fenced_ = std::ranges::any_of(runs_, [](const auto& each) { return each.second.is_fenced; });
    }
    [[nodiscard]] std::optional<Duration> end_of_fence() const { return is_fenced_ ? fence_ : std::nullopt; }

    // ---- What runs start -----------------------------------------------------------------------------------------

    /// The processes that the run under way has started. Not those that the program has had before its hello.
    [[nodiscard]] std::vector<platform::ProcessEntry> strangers() const {
        auto found = platform::descendants_of(getpid());
        std::erase_if(found,
                      [this](const auto& each) { return each.state == 'Z' || own_processes_.contains(each.pid); });
        return found;
    }
    std::size_t signal_strangers(int signal) const {
        const auto found = strangers();
        for (const auto& each : found) platform::send_signal(each, signal);
        return found.size();
    }
    void kill_leftovers(const HostedRun& run) {
        if (run.last_pid != 0 && platform::last_pid() == run.last_pid) return;  // spares a scan of all processes
        while (signal_strangers(SIGKILL) > 0) {
            if (const auto end = end_of_fence(); run.is_fenced && end && platform::machine_time() >= *end)
                end_process(fenced_exit);
            note_deaths();
            poll(nullptr, 0, 1);
        }
    }

    [[nodiscard]] bool has_grown() {
        const std::int64_t limit = setup_.limits.memory_bytes;
        if (limit == 0 || is_leaving_ || ++ends_ % 16 != 0) return false;
        return platform::resident_bytes(program_.pid) > limit / 2;
    }

    // ---- Output --------------------------------------------------------------------------------------------------

    /// Output belongs to the run under way when there can be only one, else to the worker's log.
    void read_output() {
        HostedRun* run = is_alone_ && runs_.size() == 1 ? &runs_.begin()->second : nullptr;
        for (std::size_t stream = 0; stream < pipes_.size(); ++stream) read_pipe(stream, run);
    }
    std::size_t read_pipe(std::size_t stream, HostedRun* run) {
        std::array<char, 64 * 1024> buffer;
        const ssize_t got = read(pipes_[stream].get(), buffer.data(), buffer.size());
        if (got <= 0) return 0;
        const std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
        if (stream == 1) {
            const std::string_view text = trimmed(bytes);
            if (!text.empty()) last_line_ = text.substr(std::min(text.rfind('\n') + 1, text.size()));
        }
        if (run != nullptr)
            run->streams[stream].add(bytes);
        else
            unowned_.append(bytes);
        return bytes.size();
    }
    void read_rest(HostedRun& run) {
        constexpr int most_reads = 64;
        if (!is_alone_) return;
        for (std::size_t stream = 0; stream < pipes_.size(); ++stream)
            for (int reads = 0; reads < most_reads && read_pipe(stream, &run) > 0; ++reads) {
            }
    }
    [[nodiscard]] bool wants_output() const {
        if (is_alone_ && runs_.size() == 1) return runs_.begin()->second.has_room();
        return control_out_.size() < much_unsent;
    }

    void send_news(HostedRun& run, bool everything) {
        if (run.news && (everything || control_out_.size() == 0)) {
            control_out_.send(control_socket, *run.news);
            run.news.reset();
        }
        if (run.waiting() == 0) return;
        std::vector<engine::RunLog> chunks;
        const engine::RunLog like{.lease = run.lease, .at = platform::real_clock().now()};
        for (PrintStream& stream : run.streams) take_chunks(stream, like, everything, SecretMask(), chunks);
        for (engine::RunLog& chunk : chunks) {
            run.unacknowledged += chunk.text.size();
            control_out_.send(control_socket, std::move(chunk));
        }
    }

    /// Whole lines, or what there is when a line is too long or does not end.
    void send_unowned() {
        if (unowned_.empty()) return;
        const std::size_t end = unowned_.rfind('\n');
        std::string text = readable_text(std::string_view(unowned_).substr(0, end));
        unowned_.erase(0, end == std::string::npos ? end : end + 1);
        control_out_.send(control_socket, ProgramSaid{std::move(text)});
    }

    // ---- The loop ------------------------------------------------------------------------------------------------

    [[nodiscard]] std::vector<pollfd> wait() {
        const Duration now = platform::machine_time();
        const auto writes = [](const Outbox& out) {
            return static_cast<short>(POLLIN | (out.size() > 0 ? POLLOUT : 0));
        };
        std::vector<pollfd> watched = {{task_socket, writes(tasks_out_), 0},
                                       {control_socket, writes(control_out_), 0},
                                       {keeper_pipe, POLLIN, 0},
                                       {children_.get(), POLLIN, 0}};
        short wanted = can_hear() && !has_hung_up_ ? POLLIN : 0;
        if (!to_program_.empty()) wanted = static_cast<short>(wanted | POLLOUT);
        if (wanted != 0 && !has_hung_up_) watched.push_back({program_.socket.get(), wanted, 0});
        if (now >= next_reading_ && wants_output())
            for (const Descriptor& pipe : pipes_) watched.push_back({pipe.get(), POLLIN, 0});
        poll(watched.data(), watched.size(), platform::poll_timeout(next_due(now) - now));
        return watched;
    }

    [[nodiscard]] Duration next_due(Duration now) const {
        Duration due = next_beat_;
        if (next_reading_ > now) due = std::min(due, next_reading_);
        if (const auto end = end_of_fence()) due = std::min(due, *end);
        if (end_by_) due = std::min(due, *end_by_);
        if (limits_.usual().has_any()) due = std::min(due, next_check_);
        for (const auto& [lease, run] : runs_) {
            if (run.kill_at) due = std::min(due, *run.kill_at);
            if (run.news || run.waiting() > 0) due = std::min(due, next_news_);
        }
        if (!unowned_.empty()) due = std::min(due, next_news_);
        return due;
    }

    /// The fence comes first: it must hold even when everything below is slow.
    void work_at(Duration now) {
        if (const auto end = end_of_fence(); end && now >= *end) end_process(fenced_exit);
        if (end_by_ && now >= *end_by_) end_late();
        if (now >= next_reading_ && wants_output()) {
            const std::size_t before = unowned_.size();
            read_output();
            if (unowned_.size() - before < much_output) next_reading_ = now + reading_pause;
        }
        for (auto& [lease, run] : runs_) {
            if (!run.kill_at || now < *run.kill_at) continue;
            if (signal_strangers(SIGKILL) > 0) run.were_processes_told = true;
            run.kill_at = now + kill_interval;
        }
        if (limits_.usual().has_any() && now >= next_check_) check_limits(now);
        if (now >= next_news_) {
            next_news_ = now + news_interval;
            for (auto& [lease, run] : runs_) send_news(run, false);
            send_unowned();
        }
        if (now >= next_beat_) {
            next_beat_ = now + beat_interval;
            if (control_out_.size() == 0) control_out_.send(control_socket, engine::RunnerBeat{});
        }
    }

    [[noreturn]] void end_late() {
        if (is_leaving_ && runs_.empty()) die("left, but did not end: killed");
        die("closed its socket and did not end: killed");
    }

    void check_limits(Duration now) {
        next_check_ = now + check_interval;
        if (broken_limit(limits_.usual())) end_process(memory_exit);
    }

    /// The output of a run is sent before its end.
    void tell_ends() {
        if (!control_out_.flush(control_socket)) end_process(abandoned_exit);
        for (; control_out_.size() == 0 && !ended_.empty(); ended_.pop_front())
            tasks_out_.send(task_socket, std::move(ended_.front()));
    }

    void flush() {
        tell_ends();
        if (!tasks_out_.flush(task_socket)) end_process(abandoned_exit);
        while (!to_program_.empty() && !has_hung_up_) {
            const ssize_t sent =
                ::send(program_.socket.get(), to_program_.data(), to_program_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            if (sent < 0 && errno == EINTR) continue;
            if (sent <= 0) break;  // it is full, or the program is gone, which its socket tells
            to_program_.erase(0, static_cast<std::size_t>(sent));
        }
        if (to_program_.empty() && has_said_goodbye_ && !std::exchange(has_closed_, true))
            shutdown(program_.socket.get(), SHUT_WR);
    }

    static constexpr int program_exit = 1;

    const Setup& setup_;
    TaskLimits limits_;
    ProgramProcess program_;
    std::optional<ProgramHello> hello_;
    bool is_alone_ = true;  // one run at a time
    LineReader lines_;
    std::string to_program_;
    std::set<pid_t> own_processes_;  // of the program itself
    std::map<store::Lease, HostedRun> runs_;
    std::map<store::Lease, Stop> early_stops_;  // of runs whose order has not arrived yet
    std::deque<engine::RunEnded> ended_;        // not sent yet
    bool is_leaving_ = false;                   // the program wants to, or must
    bool is_retired_ = false;                   // the worker sends no more runs
    bool has_said_goodbye_ = false;
    bool has_closed_ = false;   // our side of its socket
    bool has_hung_up_ = false;  // its side
    std::optional<Duration> end_by_;
    std::optional<Duration> fence_;
    bool is_fenced_ = false;  // a run under way must end at the deadline
    std::int64_t ends_ = 0;

    std::array<Descriptor, 2> pipes_;
    std::string unowned_, last_line_;
    Descriptor children_;
    FrameReader tasks_in_, control_in_;
    Outbox tasks_out_, control_out_;
    Duration next_beat_{}, next_news_{}, next_reading_{}, next_check_{};
    std::array<char, 64 * 1024> buffer_;
};

}  // namespace

void run_program_host(const Setup& setup, const platform::CgroupPaths& groups) {
    prctl(PR_SET_NAME, "holdfast-host");
    if (setup.identity) prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_PDEATHSIG, 0);  // from now on the end of the keeper's pipe tells its death
    for (const int each : {task_socket, control_socket}) platform::set_nonblocking(each);
    static ProgramHost& host = *new ProgramHost(setup, groups);
    host.run();
}

}  // namespace holdfast::runner
