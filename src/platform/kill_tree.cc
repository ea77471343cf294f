#include "platform/kill_tree.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "platform/process_table.h"

namespace holdfast::platform {

namespace {

void pause_milliseconds(long length) {
    const timespec wait{length / 1000, length % 1000 * 1'000'000};
    nanosleep(&wait, nullptr);
}

/// Reaps zombies. False when this process has no children at all: then it has no descendants either, because
/// orphans would have become its children.
bool reap_and_see_children() {
    pid_t reaped = 0;
    while ((reaped = waitpid(-1, nullptr, WNOHANG | __WALL)) > 0) {
    }
    return reaped == 0 || errno != ECHILD;
}

std::vector<ProcessEntry> processes_of_worker(std::string_view worker) {
    const std::string assignment = concat(worker_variable, "=", worker);
    std::map<pid_t, ProcessEntry> found;
    for (const ProcessEntry& process : list_processes()) {
        if (process.pid == getpid() || process.state == 'Z' || !environment_has(process.pid, assignment)) continue;
        found.emplace(process.pid, process);
        for (const ProcessEntry& descendant : descendants_of(process.pid))
            if (descendant.state != 'Z' && descendant.pid != getpid()) found.emplace(descendant.pid, descendant);
    }
    std::vector<ProcessEntry> all;
    all.reserve(found.size());
    for (const auto& [pid, process] : found) all.push_back(process);
    return all;
}

bool is_dead(const ProcessEntry& process) {
    const auto now = find_process(process.pid);
    return !now || now->started != process.started || now->state == 'Z';
}

/// Adds those that are not in the list yet.
void merge(std::vector<ProcessEntry>& all, const std::vector<ProcessEntry>& more) {
    for (const ProcessEntry& process : more)
        if (std::ranges::find(all, process.pid, &ProcessEntry::pid) == all.end()) all.push_back(process);
}

}  // namespace

std::size_t signal_descendants(int signal, const std::function<bool(pid_t)>& counts) {
    std::size_t alive = 0;
    for (const ProcessEntry& process : descendants_of(getpid(), counts)) {
        if (process.state == 'Z') continue;
        ++alive;
        send_signal(process, signal);
    }
    return alive;
}

void kill_all_descendants() {
    for (long nap = 1; reap_and_see_children(); nap = std::min(nap * 2, 50L)) {
        signal_descendants(SIGKILL);
        if (!reap_and_see_children()) return;
        pause_milliseconds(nap);
    }
}

std::size_t kill_processes_of_worker(std::string_view worker, int patience_seconds) {
    std::vector<ProcessEntry> left = processes_of_worker(worker);
    for (int tries = 0; !left.empty() && tries < patience_seconds * 100; ++tries) {
        // Stopped first: if a parent dies while its child forks, the new process cannot be recognised as its
        // descendant.
        for (const ProcessEntry& process : left) send_signal(process, SIGSTOP);
        merge(left, processes_of_worker(worker));
        for (const ProcessEntry& process : left) send_signal(process, SIGKILL);
        pause_milliseconds(10);
        // A dying process does not show its environment any more, but may still hold files and locks.
        std::erase_if(left, is_dead);
        merge(left, processes_of_worker(worker));
    }
    return left.size();
}

}  // namespace holdfast::platform
