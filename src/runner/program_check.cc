#include "runner/program_check.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <set>

#include "base/text.h"
#include "platform/programs.h"
#include "platform/service_loop.h"

namespace holdfast::runner {

namespace {

/// What a program did that it must not do.
struct Wrong {
    std::string what;
};

constexpr std::string_view unknown_task = "holdfast.check: no program has this task";

/// A copy of the program, as its host sees it.
class CheckedCopy {
public:
    explicit CheckedCopy(const ProgramCheckParams& params)
        : params_(params), lines_(longest_program_line(params.program.max_payload)) {
        auto started = start_program(params.program);
        if (!started) throw Wrong{"cannot be started: " + started.error()};
        program_ = std::move(started).value();
    }
    ~CheckedCopy() {
        if (program_.pid <= 0) return;
        kill(-program_.pid, SIGKILL);
        (void)platform::status_within(program_.pid, params_.patience);
    }
    CheckedCopy(const CheckedCopy&) = delete;
    CheckedCopy& operator=(const CheckedCopy&) = delete;

    ProgramHello expect_hello() {
        const auto message = next(params_.hello_patience);
        if (!message) throw Wrong{concat("sent no hello within ", format_duration(params_.hello_patience))};
        const auto* hello = std::get_if<ProgramHello>(&*message);
        if (hello == nullptr) throw Wrong{"sent another message before its hello"};
        return *hello;
    }

    [[nodiscard]] engine::RunOrder order(std::string_view name, std::string args) {
        return {.lease = {.task = Uuid(), .lease = ++last_run_},
                .name = std::string(name),
                .args = std::move(args),
                .timeout = std::chrono::seconds(60)};
    }
    store::Lease begin(const engine::RunOrder& order) { return begin(order, run_line(order)); }
    store::Lease begin(const engine::RunOrder& order, const std::string& line) {
        open_.insert(order.lease.lease);
        send(line);
        return order.lease.lease;
    }
    void send(std::string_view bytes) {
        const Duration until = platform::machine_time() + params_.patience;
        while (!bytes.empty()) {
            const ssize_t sent =
                ::send(program_.socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
            if (sent > 0 || errno == EINTR) continue;
            pollfd writable{program_.socket.get(), POLLOUT, 0};
            if (errno != EAGAIN) throw Wrong{"has hung up, or has died: " + how_it_ended()};
            if (platform::machine_time() >= until) throw Wrong{"does not read its socket"};
            poll(&writable, 1, 50);
        }
    }
    /// Waits until this run has ended, and returns how.
    engine::RunEnded expect_end(store::Lease run) {
        while (true) {
            auto message = next(params_.patience);
            if (!message)
                throw Wrong{
                    concat("sent no result and no error for a run within ", format_duration(params_.patience))};
            const auto* end = std::get_if<ProgramEnd>(&*message);
            if (end == nullptr) continue;
            if (end->ended.lease == run) return end->ended;
            others_.push_back(end->ended);
        }
    }
    engine::RunEnded expect_end_of_any(store::Lease run) {
        for (const auto& each : others_)
            if (each.lease == run) return each;
        return expect_end(run);
    }
    /// Whatever the program sends for so long must be a message that it may send.
    void listen(Duration length) {
        for (const Duration until = platform::machine_time() + length; platform::machine_time() < until;)
            if (!next(until - platform::machine_time())) return;
    }
    void hang_up() const { shutdown(program_.socket.get(), SHUT_WR); }
    void expect_exit() {
        const Duration until = platform::machine_time() + params_.patience;
        drain(until);
        const auto status =
            platform::status_within(program_.pid, std::max(until - platform::machine_time(), Duration{1}));
        program_.pid = -1;
        if (!status) throw Wrong{concat("did not exit within ", format_duration(params_.patience))};
        if (WIFSIGNALED(*status))
            throw Wrong{concat("was killed by signal ", WTERMSIG(*status), " instead of exiting")};
    }

private:
    /// The next message; nullopt: none within this time.
    std::optional<ProgramMessage> next(Duration patience) {
        for (const Duration until = platform::machine_time() + patience;;) {
            if (const auto line = lines_.next()) return checked(*line);
            if (lines_.is_over()) throw Wrong{"sent a line that is too long"};
            const Duration left = until - platform::machine_time();
            if (left <= Duration::zero()) return std::nullopt;
            if (!receive(left)) throw Wrong{"has hung up, or has died: " + how_it_ended()};
        }
    }
    /// False at the end of the stream.
    bool receive(Duration patience) {
        pollfd readable{program_.socket.get(), POLLIN, 0};
        if (poll(&readable, 1, platform::poll_timeout(patience)) <= 0) return true;
        const ssize_t got = recv(program_.socket.get(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
        if (got > 0) lines_.feed({buffer_.data(), static_cast<std::size_t>(got)});
        return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
    }
    void drain(Duration until) {
        while (platform::machine_time() < until && receive(until - platform::machine_time()))
            while (const auto line = lines_.next()) (void)checked(*line);
    }
    ProgramMessage checked(std::string_view line) {
        auto message = parse_program_line(line, params_.program.max_payload);
        if (!message) throw Wrong{"sent " + message.error()};
        if (std::holds_alternative<ProgramHello>(message.value()) && std::exchange(said_hello_, true))
            throw Wrong{"sent a second hello"};
        if (const auto* end = std::get_if<ProgramEnd>(&message.value()); end != nullptr)
            if (open_.erase(end->ended.lease) == 0)
                throw Wrong{concat("ended run ", end->ended.lease, ", which it did not have, or had ended before")};
        store::Lease named = 0;
        if (const auto* progress = std::get_if<ProgramProgress>(&message.value())) named = progress->progress.lease;
        if (const auto* log = std::get_if<ProgramLog>(&message.value())) named = log->lease;
        if (named != 0 && !open_.contains(named))
            throw Wrong{concat("sent a message for run ", named, ", which it does not have")};
        return std::move(message).value();
    }
    std::string how_it_ended() {
        int status = 0;
        if (waitpid(program_.pid, &status, WNOHANG) != program_.pid) return "it closed its socket";
        program_.pid = -1;
        return WIFSIGNALED(status) ? concat("signal ", WTERMSIG(status)) : concat("exit code ", WEXITSTATUS(status));
    }

    const ProgramCheckParams& params_;
    ProgramProcess program_;
    LineReader lines_;
    store::Lease last_run_ = store::Lease{1} << 53;  // a reader that makes it a double loses digits
    std::set<store::Lease> open_;
    std::vector<engine::RunEnded> others_;
    bool said_hello_ = false;
    std::array<char, 64 * 1024> buffer_;
};

struct Step {
    std::string rule;
    std::function<void(CheckedCopy&, const ProgramHello&)> check;
};

void expect_refusal(CheckedCopy& copy, store::Lease run) {
    if (copy.expect_end_of_any(run).completed) throw Wrong{"completed a run of a task that it does not have"};
}

std::string with_member(std::string line, std::string_view extra) {
    return line.insert(1, extra);
}

/// Steps that call no function of the program's author.
std::vector<Step> steps_without_a_task(const ProgramCheckParams& params) {
    const auto one = [](CheckedCopy& copy) { return copy.order(unknown_task, "null"); };
    const Duration moment = std::chrono::milliseconds(200);
    return {
        {"sends nothing more until it gets a run", [=](CheckedCopy& copy, const auto&) { copy.listen(moment); }},
        {"answers a run of a task that it does not have with an error, once",
         [=](CheckedCopy& copy, const auto&) {
             expect_refusal(copy, copy.begin(one(copy)));
             copy.listen(moment);
         }},
        {"ignores members that it does not know",
         [=](CheckedCopy& copy, const auto&) {
             const auto order = one(copy);
             expect_refusal(copy, copy.begin(order, with_member(run_line(order), R"("later":{"a":[1]},)")));
         }},
        {"reads a line that arrives in pieces",
         [=](CheckedCopy& copy, const auto&) {
             const auto order = one(copy);
             const std::string line = run_line(order);
             copy.begin(order, line.substr(0, line.size() / 2));
             copy.listen(moment);
             copy.send(std::string_view(line).substr(line.size() / 2));
             expect_refusal(copy, order.lease.lease);
         }},
        {"takes as many runs at once as it said, also in one piece",
         [=](CheckedCopy& copy, const ProgramHello& hello) {
             std::string lines;
             std::vector<engine::RunOrder> orders;
             for (int i = 0; i < hello.concurrency; ++i) orders.push_back(one(copy));
             for (const auto& order : orders) lines += run_line(order);
             for (const auto& order : orders) copy.begin(order, "");
             copy.send(lines);
             for (const auto& order : orders) expect_refusal(copy, order.lease.lease);
         }},
        {"reads arguments of the largest size, and every kind of character",
         [=, most = params.program.max_payload](CheckedCopy& copy, const auto&) {
             const std::string hard =
                 R"({"é\u0000\n\u2028😀":[1e300,-0.0,123456789012345678901234567890,"\ud83d\ude00"],"x":")";
             const std::size_t rest = static_cast<std::size_t>(most) - hard.size() - 2;
             expect_refusal(copy, copy.begin(copy.order(unknown_task, concat(hard, std::string(rest, 'x'), "\"}"))));
         }},
        {"ignores a stop for a run that has ended, and for one that it never had",
         [=](CheckedCopy& copy, const auto&) {
             const auto run = copy.begin(one(copy));
             expect_refusal(copy, run);
             for (const store::Lease each : {run, run + 1000})
                 copy.send(stop_line(each, engine::StopCause::Cancel, std::chrono::seconds(1)));
             expect_refusal(copy, copy.begin(one(copy)));
         }},
        {"executes runs between its worker's bye and the end of the stream, and exits",
         [=](CheckedCopy& copy, const auto&) {
             copy.send(bye_line("check"));
             expect_refusal(copy, copy.begin(one(copy)));
             copy.hang_up();
             copy.expect_exit();
         }},
        {"exits when its worker is gone without a word",
         [=](CheckedCopy& copy, const auto&) {
             copy.hang_up();
             copy.expect_exit();
         }},
        {"exits when its worker is gone in the middle of a line",
         [=](CheckedCopy& copy, const auto&) {
             const std::string line = run_line(one(copy));
             copy.send(std::string_view(line).substr(0, line.size() / 2));
             copy.hang_up();
             copy.expect_exit();
         }},
    };
}

std::vector<Step> steps_with(const ProgramCheckParams& params) {
    std::vector<Step> steps;
    if (params.task.empty()) return steps;
    steps.push_back({"completes a run of its task, and the next", [&](CheckedCopy& copy, const ProgramHello&) {
                         for (int i = 0; i < 2; ++i) {
                             const auto end = copy.expect_end(copy.begin(copy.order(params.task, params.args)));
                             if (!end.completed)
                                 throw Wrong{concat("failed a run: ", end.error.code, ": ", end.error.message)};
                         }
                     }});
    if (params.stop_args.empty()) return steps;
    const auto begin_and_stop = [&params](CheckedCopy& copy) {
        const auto run = copy.begin(copy.order(params.task, params.stop_args));
        copy.listen(std::chrono::milliseconds(300));
        copy.send(stop_line(run, engine::StopCause::Cancel, params.patience));
        return run;
    };
    steps.push_back({"ends a run that it was asked to stop", [=](CheckedCopy& copy, const ProgramHello&) {
                         const auto end = copy.expect_end(begin_and_stop(copy));
                         if (!end.saw_stop && !end.threw_stop)
                             throw Wrong{"ended a run that was asked to stop without saw_stop"};
                         (void)copy.expect_end_of_any(copy.begin(copy.order(unknown_task, "null")));
                     }});
    return steps;
}

std::optional<std::string> fault_of(const std::function<void()>& check) {
    try {
        check();
        return std::nullopt;
    } catch (const Wrong& wrong) {
        return wrong.what;
    }
}

}  // namespace

bool check_program(const ProgramCheckParams& params, const std::function<void(const ProgramCheckStep&)>& report) {
    bool is_right = true;
    const auto step = [&](const std::string& rule, const std::function<void()>& check) {
        const auto fault = fault_of(check);
        report({rule, fault});
        is_right = is_right && !fault;
        return !fault;
    };
    ProgramHello hello;
    if (!step("says hello", [&] { hello = CheckedCopy(params).expect_hello(); })) return false;
    std::vector<Step> steps = steps_without_a_task(params);
    for (Step& each : steps_with(params)) steps.push_back(std::move(each));
    for (const Step& each : steps)
        step(each.rule, [&] {
            CheckedCopy copy(params);
            each.check(copy, copy.expect_hello());
        });
    return is_right;
}

}  // namespace holdfast::runner
