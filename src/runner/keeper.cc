#include "runner/roles.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "platform/cgroups.h"
#include "platform/files.h"
#include "platform/identity.h"
#include "platform/process_table.h"
#include "platform/programs.h"
#include "platform/service_loop.h"
#include "platform/signals.h"
#include "platform/sockets.h"
#include "runner/container_tool.h"
#include "runner/messages.h"
#include "runner/texts.h"

namespace holdfast::runner {

namespace {

using engine::RunnerId;

struct RunnerRecord {
    RunnerId id = 0;
    pid_t pid = 0;
    platform::CgroupPaths groups;
    std::optional<platform::Identity> identity;  // the user of its runs; nullopt: that of this process
    bool was_killed = false;                     // by this keeper
    bool is_fenced = false;                      // its run must end at the deadline
    bool was_fenced = false;                     // ... and did not
};

struct Dying {
    RunnerRecord runner;
    RunnerDied report;
    std::optional<pid_t> remover = {};  // a child process that removes its container; 0: done; nullopt: not started
};

constexpr Duration removal_patience = std::chrono::seconds(30);

/// A runner usually ends its fenced run itself; the keeper acts this much later.
constexpr Duration fence_patience = std::chrono::milliseconds(100);

class Keeper {
public:
    explicit Keeper(bool uses_cgroups);
    int run();
    /// What a witness needs, if there shall be one.
    [[nodiscard]] Descriptor take_testimony() { return std::move(testimony_); }

private:
    void serve_worker();
    void obey(const Message& message, std::vector<Descriptor>& descriptors);
    void spawn(const SpawnRunner& order, const std::vector<Descriptor>& sockets);
    /// Turns a forked child of the process `keeper` into a runner.
    [[noreturn]] void become_runner(const SpawnRunner& order, const RunnerRecord& runner,
                                    const std::vector<Descriptor>& sockets, pid_t keeper) const;
    void kill_tree(RunnerRecord& runner);
    [[nodiscard]] RunnerRecord* find(RunnerId runner);
    [[nodiscard]] int milliseconds_to_wait() const;
    void enforce_fence();
    void reap();
    [[nodiscard]] static std::string reason_of(const RunnerRecord& runner, int status);
    void settle_the_dead();
    void clear_up(const RunnerRecord& runner);
    [[nodiscard]] bool is_removing_container(Dying& dying);
    std::optional<pid_t> start_cleaner(const std::function<void()>& work);
    void note_end_of_cleaner(pid_t pid, int status);
    [[nodiscard]] std::string folder_of(const RunnerRecord& runner) const {
        return concat(folder_.path(), "/", runner.id);
    }
    void send_reports();

    Descriptor worker_{keeper_socket};
    Descriptor children_;                // a signalfd: SIGCHLD
    Descriptor life_read_, life_write_;  // runners hold the first; the second is only ours
    platform::PrivateFolder folder_{"holdfast-keeper."};
    platform::CgroupMaker cgroups_;
    std::map<pid_t, RunnerRecord> runners_;
    std::set<pid_t> cleaners_;  // children that remove the files of dead runners
    std::deque<Dying> dying_;   // reaped, but processes that they had started may be left
    std::deque<RunnerDied> reports_;
    std::vector<Descriptor> held_;
    Descriptor testimony_;
    std::optional<Duration> fence_;
    bool has_worker_ = true;
};

Descriptor watch_children() {
    signal(SIGCHLD, SIG_DFL);  // an ignored SIGCHLD survives exec, and then exit statuses are lost
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_SETMASK, &signals, nullptr);
    return Descriptor(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

Keeper::Keeper(bool uses_cgroups) : children_(watch_children()), cgroups_(uses_cgroups) {
    std::tie(life_read_, life_write_) = platform::pipe_pair();
    platform::set_nonblocking(worker_.get());
}

int Keeper::run() {
    while (has_worker_) {
        const auto wanted = static_cast<short>(POLLIN | (reports_.empty() ? 0 : POLLOUT));
        pollfd watched[] = {{worker_.get(), wanted, 0}, {children_.get(), POLLIN, 0}};
        poll(watched, 2, milliseconds_to_wait());
        if (watched[1].revents != 0) reap();
        if (!dying_.empty()) settle_the_dead();
        if (watched[0].revents != 0) serve_worker();
        enforce_fence();  // last: a later deadline may have arrived
        send_reports();
    }
    for (const auto& [pid, runner] : runners_) platform::kill_members(runner.groups);
    platform::kill_all_descendants();
    for (const auto& [pid, runner] : runners_) dying_.push_back({runner, {}});
    for (const Dying& each : dying_) {
        const auto& identity = each.runner.identity;
        if (identity && identity->is_exclusive) platform::kill_all_processes_of(*identity);
        platform::CgroupMaker::remove(each.runner.groups);
        remove_noted_container(folder_of(each.runner), removal_patience);
    }
    platform::kill_all_descendants();  // what is left after the removals
    return 0;
}

void Keeper::serve_worker() {
    platform::Packet packet;
    platform::Received received{};
    while ((received = platform::receive_packet(worker_.get(), packet)) == platform::Received::Packet) {
        const auto message = parse_packet(packet.bytes);
        if (message) obey(*message, packet.descriptors);
    }
    if (received == platform::Received::Closed) has_worker_ = false;
}

void Keeper::obey(const Message& message, std::vector<Descriptor>& descriptors) {
    if (const auto* spawning = std::get_if<SpawnRunner>(&message)) spawn(*spawning, descriptors);
    if (const auto* killing = std::get_if<KillRunner>(&message))
        if (RunnerRecord* runner = find(killing->runner)) kill_tree(*runner);
    if (const auto* guarding = std::get_if<GuardRunner>(&message))
        if (RunnerRecord* runner = find(guarding->runner)) runner->is_fenced = guarding->is_fenced;
    if (const auto* fence = std::get_if<SetFence>(&message)) fence_ = fence->deadline;
    if (std::holds_alternative<HoldOpen>(message))
        for (Descriptor& each : descriptors) held_.push_back(std::move(each));
    if (std::holds_alternative<SetWitness>(message))
        testimony_ = descriptors.empty() ? Descriptor() : std::move(descriptors.front());
}

/// Nothing of the worker is left but this process, which the witness replaces.
void become_witness(const Descriptor& testimony) {
    const std::vector<std::string> arguments = {"holdfast: witness", std::string(witness_flag)};
    const std::vector<std::string> environment = platform::environment_with({});
    platform::restore_signals();
    platform::execute_own_program(platform::own_program(), {testimony.get()}, platform::exec_vector(arguments).data(),
                                  platform::exec_vector(environment).data());
}

void Keeper::spawn(const SpawnRunner& order, const std::vector<Descriptor>& sockets) {
    if (sockets.size() != 2) return;
    RunnerRecord runner{order.runner, 0, cgroups_.make(concat(order.runner)), order.identity};
    if (order.identity) chmod(folder_.path().c_str(), 0711);  // each user finds its own folder, and no other
    const pid_t keeper = getpid();
    runner.pid = fork();
    if (runner.pid == 0) become_runner(order, runner, sockets, keeper);
    if (runner.pid > 0) {
        runners_[runner.pid] = runner;
    } else {
        reports_.push_back({order.runner, 0, concat("cannot fork: ", strerror(errno))});
        platform::CgroupMaker::remove(runner.groups);
    }
}

void Keeper::become_runner(const SpawnRunner& order, const RunnerRecord& runner,
                           const std::vector<Descriptor>& sockets, pid_t keeper) const {
    platform::restore_signals();
    setsid();
    // Holds until a thread of the runner watches the keeper. If the keeper died before the call, the parent has
    // changed.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != keeper) _exit(abandoned_exit);
    dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    platform::enter(runner.groups);
    const std::vector<std::string> arguments = {"holdfast: runner",  std::string(runner_flag), concat(runner.id),
                                                folder_of(runner),   runner.groups.memory,     runner.groups.pids,
                                                runner.groups.killer};
    const std::vector<std::string> environment =
        platform::environment_with({concat(platform::worker_variable, "=", order.worker)});
    platform::execute_own_program(platform::own_program(),
                                  {sockets[0].get(), sockets[1].get(), life_read_.get(), keeper_withheld},
                                  platform::exec_vector(arguments).data(), platform::exec_vector(environment).data());
    _exit(abandoned_exit);
}

RunnerRecord* Keeper::find(RunnerId id) {
    const auto found = std::ranges::find_if(runners_, [&](const auto& each) { return each.second.id == id; });
    return found == runners_.end() ? nullptr : &found->second;
}

int Keeper::milliseconds_to_wait() const {
    if (!dying_.empty()) return 10;
    const bool waits = std::ranges::any_of(runners_, [](const auto& each) { return each.second.is_fenced; });
    if (!fence_ || !waits) return -1;
    return platform::poll_timeout(*fence_ + fence_patience - platform::machine_time());
}

/// A runner that is suspended cannot end its run itself, and a suspended worker cannot send a later deadline.
void Keeper::enforce_fence() {
    if (!fence_ || platform::machine_time() < *fence_ + fence_patience) return;
    for (auto& [pid, runner] : runners_) {
        if (!std::exchange(runner.is_fenced, false)) continue;
        runner.was_fenced = true;
        kill_tree(runner);
    }
}

void Keeper::kill_tree(RunnerRecord& runner) {
    runner.was_killed = true;
    platform::kill_members(runner.groups);
    const auto tree = platform::descendants_of(runner.pid);
    kill(runner.pid, SIGKILL);  // an unreaped child: the pid cannot belong to another process
    for (const auto& process : tree) platform::send_signal(process, SIGKILL);
}

void Keeper::reap() {
    signalfd_siginfo ignored{};
    while (read(children_.get(), &ignored, sizeof ignored) > 0) {
    }
    int status = 0;
    for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0;) {
        note_end_of_cleaner(pid, status);
        const auto found = runners_.find(pid);
        if (found == runners_.end()) continue;
        const RunnerRecord& runner = found->second;
        platform::kill_members(runner.groups);
        dying_.push_back({runner, {runner.id, status, reason_of(runner, status), runner.was_fenced}});
        runners_.erase(found);
    }
}

std::string Keeper::reason_of(const RunnerRecord& runner, int status) {
    const bool may_be_the_kernel = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && !runner.was_killed;
    if (!may_be_the_kernel || platform::out_of_memory_kills(runner.groups) == 0) return {};
    return "killed: " + memory_limit_text(platform::memory_limit_of(runner.groups).value_or(0));
}

// The orphans of a dead runner become children of the keeper: a child that is not a runner is one of them.
void Keeper::settle_the_dead() {
    const auto is_stray = [this](pid_t pid) { return !runners_.contains(pid) && !cleaners_.contains(pid); };
    if (platform::signal_descendants(SIGKILL, is_stray) > 0) return;
    std::erase_if(dying_, [this](Dying& dying) {
        const auto& identity = dying.runner.identity;
        if (identity && identity->is_exclusive && !platform::kill_processes_of(*identity)) return false;
        if (is_removing_container(dying)) return false;
        clear_up(dying.runner);
        reports_.push_back(std::move(dying.report));
        return true;
    });
}

/// A container need not be a descendant of its runner, so it counts as gone only when its engine says so.
bool Keeper::is_removing_container(Dying& dying) {
    if (dying.remover) return *dying.remover != 0;
    const std::string folder = folder_of(dying.runner);
    if (!has_noted_container(folder)) {
        dying.remover = 0;
        return false;
    }
    dying.remover = start_cleaner([&] {
        while (!remove_noted_container(folder, removal_patience)) sleep(1);
    });
    return true;
}

/// After a remover that failed the container may still exist, so another remover is started.
void Keeper::note_end_of_cleaner(pid_t pid, int status) {
    if (cleaners_.erase(pid) == 0) return;
    const auto found = std::ranges::find(dying_, std::optional(pid), &Dying::remover);
    if (found == dying_.end()) return;
    found->remover.reset();
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) found->remover = 0;
}

/// Does this work in a child of the keeper; nullopt when it cannot be started. The child must not outlive the keeper,
/// because it holds the same descriptors.
std::optional<pid_t> Keeper::start_cleaner(const std::function<void()>& work) {
    const pid_t child = fork();
    if (child < 0) return std::nullopt;
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        work();
        _exit(0);
    }
    cleaners_.insert(child);
    return child;
}

// In a child process: a directory with a million files must not delay the other runners.
void Keeper::clear_up(const RunnerRecord& runner) {
    platform::CgroupMaker::remove(runner.groups);
    const std::string folder = folder_of(runner);
    if (access(folder.c_str(), F_OK) != 0) return;
    start_cleaner([&] { platform::remove_folder(folder); });
}

void Keeper::send_reports() {
    while (!reports_.empty() && platform::send_packet(worker_.get(), to_packet(reports_.front())))
        reports_.pop_front();
}

}  // namespace

int run_keeper(int argc, char** argv) {
    prctl(PR_SET_NAME, "holdfast-keeper");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (const int each : {keeper_socket, keeper_withheld}) fcntl(each, F_SETFD, FD_CLOEXEC);
    platform::own_program();  // now: the file may be replaced later
    platform::hide_from_own_user();
    Descriptor testimony;
    {
        Keeper keeper(argc < 3 || argv[2] != no_cgroups);
        keeper.run();
        testimony = keeper.take_testimony();
    }
    if (testimony) become_witness(testimony);
    return 0;
}

}  // namespace holdfast::runner
