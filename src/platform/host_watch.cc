#include "platform/host_watch.h"

#include <errno.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"
#include "platform/host_identity.h"
#include "platform/kill_tree.h"
#include "platform/life_lock.h"

namespace holdfast::platform {

namespace {

constexpr int patience_seconds = 2;

bool has_ended(int process_descriptor) {
    pollfd end{process_descriptor, POLLIN, 0};
    return poll(&end, 1, 0) == 1;  // a zombie too
}

}  // namespace

Presence presence_of(int pid, std::uint64_t start_time) {
    if (pid <= 0) return Presence::Unknown;
    const auto process = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
    if (process < 0) return errno == ESRCH ? Presence::Gone : Presence::Unknown;
    const bool ended = has_ended(process);
    close(process);
    if (ended) return Presence::Gone;
    const std::uint64_t start = start_time_of(pid);
    if (start == 0 || start_time == 0) return Presence::Unknown;
    return start == start_time ? Presence::There : Presence::Gone;
}

LocalHostWatch::LocalHostWatch(Params params) : params_(std::move(params)), own_(own_host_identity()) {}

engine::Sight LocalHostWatch::look_at(const store::WorkerLiveness& worker) {
    if (!params_.life_locks.empty()) return look_at_lock(worker);
    const store::HostIdentity& host = worker.host;
    if (host.hostname != own_.hostname || host.boot_id.empty() || own_.boot_id.empty()) return {};
    if (host.boot_id != own_.boot_id)
        return {core::Evidence::Rebooted, concat("host ", host.hostname, " has booted since")};
    if (host.pid_namespace != own_.pid_namespace) return {};
    const bool is_gone =
        presence_of(host.pid, host.start_time) == Presence::Gone &&
        (host.keeper_pid == 0 || presence_of(host.keeper_pid, host.keeper_start_time) == Presence::Gone);
    if (!is_gone) return {};
    return {core::Evidence::Exited, concat("process ", host.pid, " is gone")};
}

/// All processes of an SQLite file are on one machine: the kernel knows who lives.
engine::Sight LocalHostWatch::look_at_lock(const store::WorkerLiveness& worker) const {
    if (!worker.host.boot_id.empty() && !own_.boot_id.empty() && worker.host.boot_id != own_.boot_id)
        return {core::Evidence::Rebooted, "the machine has booted since", true};
    if (probe_life_lock(params_.life_locks, worker.number) != LifeLockState::Free) return {};
    return {core::Evidence::Exited, concat("process ", worker.host.pid, " is gone: its lock is free"), true};
}

bool LocalHostWatch::clear_away(const store::WorkerLiveness& worker) {
    if (worker.host.boot_id != own_.boot_id) return true;
    return kill_processes_of_worker(worker.id.to_string(), patience_seconds) == 0;
}

}  // namespace holdfast::platform
