#include "platform/host_watch.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <vector>

#include "base/text.h"
#include "platform/host_identity.h"
#include "platform/life_lock.h"
#include "platform/process_table.h"
#include "platform/service_loop.h"

namespace holdfast::platform {

namespace {

constexpr int kill_patience_seconds = 2;

Descriptor open_process(int pid) {
    return Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

}  // namespace

Presence presence_of(int pid, std::uint64_t start_time) {
    if (pid <= 0) return Presence::Unknown;
    const Descriptor process = open_process(pid);
    if (!process) return errno == ESRCH ? Presence::Gone : Presence::Unknown;
    pollfd end{process.get(), POLLIN, 0};
    if (poll(&end, 1, 0) == 1) return Presence::Gone;  // a zombie too
    const std::uint64_t start = start_time_of(pid);
    if (start == 0 || start_time == 0) return Presence::Unknown;
    return start == start_time ? Presence::There : Presence::Gone;
}

LocalHostWatch::LocalHostWatch(Params params)
    : params_(std::move(params)), own_(own_host_identity()), bell_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void LocalHostWatch::keep_eye_on(const store::WorkerLiveness& worker) {
    const store::HostIdentity& host = worker.host;
    if (host.boot_id != own_.boot_id || host.pid_namespace != own_.pid_namespace) return;
    if (living_.contains(worker.id)) return;
    const bool has_keeper = host.keeper_pid != 0;
    const int last = has_keeper ? host.keeper_pid : host.pid;
    if (presence_of(last, has_keeper ? host.keeper_start_time : host.start_time) != Presence::There) return;
    if (Descriptor process = open_process(last)) living_.emplace(worker.id, std::move(process));
}

bool LocalHostWatch::wait(Duration at_most) {
    std::vector<pollfd> sources = {{bell_.get(), POLLIN, 0}};
    std::vector<Uuid> workers;
    for (const auto& [worker, process] : living_) {
        sources.push_back({process.get(), POLLIN, 0});
        workers.push_back(worker);
    }
    poll(sources.data(), sources.size(), poll_timeout(at_most));
    eventfd_t ignored = 0;
    eventfd_read(bell_.get(), &ignored);
    const std::size_t before = living_.size();
    for (std::size_t i = 0; i < workers.size(); ++i)
        if (sources[i + 1].revents != 0) living_.erase(workers[i]);
    return living_.size() < before;
}

void LocalHostWatch::wake() {
    eventfd_write(bell_.get(), 1);
}

engine::Sight LocalHostWatch::look_at(const store::WorkerLiveness& worker) {
    keep_eye_on(worker);
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
    // A lock that was never taken, or whose file was replaced, does not prove a death.
    const bool is_visible = worker.host.boot_id == own_.boot_id && worker.host.pid_namespace == own_.pid_namespace;
    if (is_visible && presence_of(worker.host.pid, worker.host.start_time) == Presence::There) return {};
    return {core::Evidence::Exited, concat("process ", worker.host.pid, " is gone: its lock is free"), true};
}

bool LocalHostWatch::stop_container(const store::WorkerLiveness& worker, const store::TaskLease& lease) {
    return params_.stop_container(lease, worker.host.boot_id == own_.boot_id);
}

bool LocalHostWatch::clear_away(const store::WorkerLiveness& worker) {
    const bool was_elsewhere = !worker.host.boot_id.empty() && worker.host.boot_id != own_.boot_id;
    if (was_elsewhere) return true;
    return kill_processes_of_worker(worker.id.to_string(), kill_patience_seconds) == 0;
}

}  // namespace holdfast::platform
