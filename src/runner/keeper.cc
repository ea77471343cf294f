#include "runner/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "platform/kill_tree.h"
#include "platform/own_program.h"
#include "platform/process_table.h"
#include "platform/sockets.h"
#include "runner/messages.h"
#include "runner/roles.h"
#include "runner/runner_start.h"

namespace holdfast::runner {

namespace {

using engine::RunnerId;
using platform::Descriptor;

class Keeper {
public:
    Keeper();
    int run();

private:
    void serve_worker();
    void obey(const Message& message, std::vector<Descriptor>& descriptors);
    void spawn(const SpawnRunner& order, std::vector<Descriptor>& descriptors);
    void kill_runner(RunnerId runner);
    void reap();
    void settle_the_dead();
    void report(RunnerDied report);
    void send_reports();

    Descriptor worker_{keeper_socket};
    Descriptor children_;                // a signalfd: SIGCHLD
    Descriptor life_read_, life_write_;  // runners hold the first; the second is only ours
    std::map<pid_t, RunnerId> runners_;
    std::map<RunnerId, pid_t> pids_;
    std::deque<RunnerDied> dying_;  // reaped, but something that they had started may be left
    std::deque<RunnerDied> reports_;
    std::vector<Descriptor> held_;
    bool has_worker_ = true;
};

void ignore_what_people_send() {
    // A Ctrl-C reaches the whole foreground group: the worker decides what becomes of it.
    for (const int each : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE, SIGUSR1, SIGUSR2})
        signal(each, SIG_IGN);
}

Descriptor watch_children() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    return Descriptor(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

Keeper::Keeper() : children_(watch_children()) {
    std::tie(life_read_, life_write_) = platform::pipe_pair();
    platform::set_nonblocking(worker_.get());
}

int Keeper::run() {
    while (has_worker_) {
        const auto wanted = static_cast<short>(POLLIN | (reports_.empty() ? 0 : POLLOUT));
        pollfd watched[] = {{worker_.get(), wanted, 0}, {children_.get(), POLLIN, 0}};
        poll(watched, 2, dying_.empty() ? -1 : 5);
        if (watched[1].revents != 0) reap();
        if (!dying_.empty()) settle_the_dead();
        if (watched[0].revents != 0) serve_worker();
        send_reports();
    }
    platform::kill_all_descendants();
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
    if (const auto* killing = std::get_if<KillRunner>(&message)) kill_runner(killing->runner);
    if (std::holds_alternative<HoldOpen>(message))
        for (Descriptor& each : descriptors) held_.push_back(std::move(each));
}

void Keeper::spawn(const SpawnRunner& order, std::vector<Descriptor>& descriptors) {
    if (descriptors.size() != 2) return;
    const RunnerStart start{order.runner,         order.worker,         getpid(),
                            descriptors[0].get(), descriptors[1].get(), life_read_.get()};
    const pid_t pid = fork();
    if (pid == 0) become_runner(start);
    if (pid < 0) return report({order.runner, 0, concat("cannot fork: ", strerror(errno))});
    runners_[pid] = order.runner;
    pids_[order.runner] = pid;
}

void Keeper::kill_runner(RunnerId runner) {
    const auto found = pids_.find(runner);
    if (found == pids_.end()) return;
    const auto tree = platform::descendants_of(found->second);
    kill(found->second, SIGKILL);  // ours and not yet reaped: the pid is no one else's
    for (const auto& process : tree) platform::send_signal(process, SIGKILL);
}

void Keeper::reap() {
    signalfd_siginfo ignored{};
    while (read(children_.get(), &ignored, sizeof ignored) > 0) {
    }
    int status = 0;
    for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0;) {
        const auto found = runners_.find(pid);
        if (found == runners_.end()) continue;
        dying_.push_back({found->second, status, {}});
        pids_.erase(found->second);
        runners_.erase(found);
    }
}

// The orphans of a dead runner have become our children: whoever is a child but no runner is one of them.
void Keeper::settle_the_dead() {
    if (platform::signal_descendants(SIGKILL, [this](pid_t pid) { return !runners_.contains(pid); }) > 0) return;
    for (; !dying_.empty(); dying_.pop_front()) report(std::move(dying_.front()));
}

void Keeper::report(RunnerDied report) {
    reports_.push_back(std::move(report));
}

void Keeper::send_reports() {
    while (!reports_.empty() && platform::send_packet(worker_.get(), to_packet(reports_.front())))
        reports_.pop_front();
}

}  // namespace

int run_keeper(int /*argc*/, char** /*argv*/) {
    prctl(PR_SET_NAME, "holdfast-keeper");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    fcntl(keeper_socket, F_SETFD, FD_CLOEXEC);
    ignore_what_people_send();
    platform::own_program();  // now, lest the file be replaced later
    return Keeper().run();
}

}  // namespace holdfast::runner
