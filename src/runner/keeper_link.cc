#include "runner/keeper_link.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/throw_errno.h"
#include "holdfast/errors.h"
#include "platform/files.h"
#include "platform/programs.h"
#include "platform/signals.h"
#include "platform/sockets.h"
#include "runner/roles.h"
#include "runner/worker_environment.h"

namespace holdfast::runner {

namespace {

// A Ctrl-C reaches the whole foreground group, but only the worker decides how to react. Both the new session and
// the ignored signals survive the exec, so no signal of a terminal can kill the keeper at any moment.
void detach_from_terminal() {
    setsid();
    for (const int each : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE, SIGUSR1, SIGUSR2})
        signal(each, SIG_IGN);
}

[[noreturn]] void become_keeper(int program, int socket, int withheld, char* const* arguments,
                                char* const* environment) {
    detach_from_terminal();
    platform::execute_own_program(program, {socket, withheld}, arguments, environment);
    _exit(127);
}

// A keeper always reads, but one that was stopped with SIGSTOP must not block the worker's loop.
void limit_waiting(int socket) {
    const timeval limit{5, 0};
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

}  // namespace

KeeperLink::KeeperLink(bool uses_cgroups, const std::vector<std::string>& withheld) {
    if (!has_roles())
        throw BadInput("isolation \"process\" needs a main function that begins with holdfast::runner_main()");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    Descriptor theirs;
    std::tie(socket_, theirs) = platform::socket_pair(SOCK_SEQPACKET);
    std::vector<std::string> arguments = {"holdfast: keeper", std::string(keeper_flag)};
    if (!uses_cgroups) arguments.emplace_back(no_cgroups);
    const int program = platform::own_program();
    const auto argument_pointers = platform::exec_vector(arguments);
    const SplitEnvironment environment = split_environment(withheld);
    const auto environment_pointers = platform::exec_vector(environment.shown);
    const Descriptor sealed = platform::sealed_file("holdfast-withheld", environment.withheld);
    const platform::SignalPause pause;  // the keeper ends its own
    pid_ = fork();
    if (pid_ < 0) throw_errno("fork");
    if (pid_ == 0)
        become_keeper(program, theirs.get(), sealed.get(), argument_pointers.data(), environment_pointers.data());
    limit_waiting(socket());
}

KeeperLink::~KeeperLink() {
    socket_.close();
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

void KeeperLink::hold_open(int descriptor) {
    if (!send(HoldOpen{}, {descriptor})) throw_errno("cannot reach the keeper");
}

void KeeperLink::set_witness(const std::string& testimony) {
    if (testimony.empty()) {
        (void)send(SetWitness{});  // a keeper that is gone does not testify either
        return;
    }
    const Descriptor sealed = platform::sealed_file("holdfast-testimony", testimony);
    if (!send(SetWitness{}, {sealed.get()})) throw_errno("cannot reach the keeper");
}

bool KeeperLink::send(const Message& order, const std::vector<int>& descriptors) {
    return platform::send_packet(socket(), to_packet(order), descriptors);
}

void KeeperLink::set_fence(Duration deadline) {
    const std::string packet = to_packet(SetFence{deadline});
    [[maybe_unused]] const auto sent = ::send(socket(), packet.data(), packet.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace holdfast::runner
