#include "platform/process_table.h"

#include <dirent.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <map>
#include <memory>
#include <string>

#include "base/descriptor.h"
#include "base/text.h"
#include "platform/files.h"

namespace holdfast::platform {

namespace {

/// Empty when the process is gone, or this user may not read it.
std::string read_proc_file(pid_t pid, std::string_view file) {
    return content_of(concat("/proc/", pid, "/", file));
}

/// The n-th field after the command's name, which may itself contain spaces and brackets.
std::string_view field(std::string_view stat, int n) {
    std::size_t at = stat.rfind(')');
    if (at == std::string_view::npos) return {};
    at += 2;
    for (; n > 0 && at < stat.size(); --n) at = std::min(stat.find(' ', at), stat.size() - 1) + 1;
    if (at >= stat.size()) return {};
    return stat.substr(at, stat.find(' ', at) - at);
}

template <typename Number>
Number to_number(std::string_view text) {
    Number number{};
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

}  // namespace

std::optional<ProcessEntry> find_process(pid_t pid) {
    const std::string stat = read_proc_file(pid, "stat");
    const std::string_view state = field(stat, 0);
    if (state.empty()) return std::nullopt;
    // The first thread may be dead while others still run or hold the process's files.
    const auto threads = to_number<int>(field(stat, 17));
    const bool is_dying = state == "Z" && threads > 1;
    return ProcessEntry{pid, to_number<pid_t>(field(stat, 1)), is_dying ? 'D' : state.front(),
                        to_number<std::uint64_t>(field(stat, 19)), threads};
}

std::vector<ProcessEntry> list_processes() {
    std::vector<ProcessEntry> processes;
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc"), closedir);
    if (!folder) return processes;
    while (const dirent* entry = readdir(folder.get())) {
        const auto pid = to_number<pid_t>(entry->d_name);
        if (pid <= 0) continue;
        if (auto process = find_process(pid)) processes.push_back(*process);
    }
    return processes;
}

std::vector<ProcessEntry> descendants_of(pid_t ancestor, const std::function<bool(pid_t)>& counts) {
    std::multimap<pid_t, ProcessEntry> by_parent;
    for (const ProcessEntry& process : list_processes()) by_parent.emplace(process.parent, process);
    std::vector<ProcessEntry> found;
    const auto take_children = [&](pid_t parent, bool all) {
        const auto [begin, end] = by_parent.equal_range(parent);
        for (auto child = begin; child != end; ++child)
            if (all || !counts || counts(child->second.pid)) found.push_back(child->second);
        by_parent.erase(begin, end);  // a table that changed while it was read may contain cycles
    };
    take_children(ancestor, false);
    // The list grows meanwhile: NOLINTNEXTLINE(modernize-loop-convert)
    for (std::size_t i = 0; i < found.size(); ++i) take_children(found[i].pid, true);
    return found;
}

pid_t last_pid() {
    const std::string text = content_of("/proc/loadavg");
    return to_number<pid_t>(trimmed(std::string_view(text).substr(text.rfind(' ') + 1)));
}

std::int64_t resident_bytes(pid_t pid) {
    const std::string statm = read_proc_file(pid, "statm");
    const std::size_t second = statm.find(' ');
    if (second == std::string::npos) return 0;
    return to_number<std::int64_t>(std::string_view(statm).substr(second + 1)) * sysconf(_SC_PAGESIZE);
}

bool environment_has(pid_t pid, std::string_view assignment) {
    const std::string environment = read_proc_file(pid, "environ");
    return std::ranges::count(split(environment, '\0'), assignment) > 0;
}

// ---- Signals ----------------------------------------------------------------------------------------------------

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

bool send_signal(const ProcessEntry& process, int signal) {
    const Descriptor handle(static_cast<int>(syscall(SYS_pidfd_open, process.pid, 0)));
    if (!handle && errno != ENOSYS) return false;
    const auto now = find_process(process.pid);
    if (!now || now->started != process.started) return false;
    if (!handle) return ::kill(process.pid, signal) == 0;
    return syscall(SYS_pidfd_send_signal, handle.get(), signal, nullptr, 0) == 0;
}

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
