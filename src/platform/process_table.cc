#include "platform/process_table.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <memory>

#include "base/descriptor.h"

namespace holdfast::platform {

namespace {

std::string path_of(pid_t pid, const char* file) {
    return "/proc/" + std::to_string(pid) + "/" + file;
}

/// Empty when the process is gone, or this user may not read it.
std::string read_proc_file(pid_t pid, const char* file) {
    const Descriptor opened(open(path_of(pid, file).c_str(), O_RDONLY | O_CLOEXEC));
    std::string text;
    if (!opened) return text;
    std::array<char, 4096> buffer{};
    ssize_t got = 0;
    while ((got = read(opened.get(), buffer.data(), buffer.size())) > 0)
        text.append(buffer.data(), static_cast<std::size_t>(got));
    return text;
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
    const bool is_dying = state == "Z" && to_number<int>(field(stat, 17)) > 1;
    return ProcessEntry{pid, to_number<pid_t>(field(stat, 1)), is_dying ? 'D' : state.front(),
                        to_number<std::uint64_t>(field(stat, 19))};
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

bool send_signal(const ProcessEntry& process, int signal) {
    const Descriptor handle(static_cast<int>(syscall(SYS_pidfd_open, process.pid, 0)));
    if (!handle && errno != ENOSYS) return false;
    const auto now = find_process(process.pid);
    if (!now || now->started != process.started) return false;
    if (!handle) return ::kill(process.pid, signal) == 0;
    return syscall(SYS_pidfd_send_signal, handle.get(), signal, nullptr, 0) == 0;
}

std::int64_t resident_bytes(pid_t pid) {
    const std::string statm = read_proc_file(pid, "statm");
    const std::size_t second = statm.find(' ');
    if (second == std::string::npos) return 0;
    return to_number<std::int64_t>(std::string_view(statm).substr(second + 1)) * sysconf(_SC_PAGESIZE);
}

bool environment_has(pid_t pid, std::string_view assignment) {
    const std::string environment = read_proc_file(pid, "environ");
    for (std::size_t at = 0; at < environment.size();) {
        const std::string_view entry = environment.data() + at;
        if (entry == assignment) return true;
        at += entry.size() + 1;
    }
    return false;
}

}  // namespace holdfast::platform
