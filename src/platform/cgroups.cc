#include "platform/cgroups.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/descriptor.h"
#include "base/text.h"
#include "platform/files.h"
#include "platform/process_table.h"

namespace holdfast::platform {

namespace {

bool write_file(const std::string& path, const std::string& text) {
    const Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
    return file && write_all(file.get(), text);
}

std::optional<std::int64_t> number_in(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return std::nullopt;
    return number;
}

bool exists(const std::string& path) {
    return access(path.c_str(), F_OK) == 0;
}

bool has_word(std::string_view list, std::string_view word) {
    return std::ranges::count(split(list, ','), word) > 0;
}

/// A line of mountinfo: "36 25 0:33 ROOT MOUNTPOINT OPTIONS ... - TYPE SOURCE SUPEROPTIONS".
struct Mount {
    std::string_view root, point, type, options;
};

std::optional<Mount> parse_mount(std::string_view line) {
    const auto fields = split(line, ' ');
    const auto dash = std::ranges::find(fields, "-");
    if (fields.size() < 6 || fields.end() - dash < 4) return std::nullopt;
    return Mount{fields[3], fields[4], dash[1], dash[3]};
}

/// The path that /proc/self/cgroup gives for the hierarchy: "4:memory:/path", "0::/path".
std::optional<std::string> path_in_hierarchy(std::string_view cgroup, std::string_view controller) {
    for (const std::string_view line : split(cgroup, '\n')) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string_view controllers = line.substr(first + 1, second - first - 1);
        if (controller.empty() ? controllers.empty() : has_word(controllers, controller))
            return std::string(line.substr(second + 1));
    }
    return std::nullopt;
}

bool is_alive(pid_t pid) {
    const auto process = find_process(pid);
    return process && process->state != 'Z';
}

/// Removes the groups that a killed process has left behind. Groups with members cannot be removed.
void remove_abandoned(const std::string& own) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(own, ignored)) {
        const std::string name = entry.path().filename().string();
        const auto pid = name.starts_with("holdfast-") ? number_in(std::string_view(name).substr(9)) : std::nullopt;
        if (!pid || is_alive(static_cast<pid_t>(*pid))) continue;
        for (const auto& group : std::filesystem::directory_iterator(entry.path(), ignored))
            if (group.is_directory(ignored)) rmdir(group.path().c_str());
        rmdir(entry.path().c_str());
    }
}

std::string make_place(std::string_view controller) {
    const auto own = own_cgroup(content_of("/proc/self/mountinfo"), content_of("/proc/self/cgroup"), controller);
    if (!own) return {};
    remove_abandoned(*own);
    std::string place = concat(*own, "/holdfast-", getpid());
    return mkdir(place.c_str(), 0755) == 0 ? place : std::string();
}

std::string make_group(const std::string& place, const std::string& name) {
    if (place.empty()) return {};
    std::string group = place + "/" + name;
    return mkdir(group.c_str(), 0755) == 0 ? group : std::string();
}

void remove_group(const std::string& path) {
    if (!path.empty()) rmdir(path.c_str());
}

}  // namespace

std::optional<std::string> own_cgroup(std::string_view mountinfo, std::string_view cgroup,
                                      std::string_view controller) {
    const auto path = path_in_hierarchy(cgroup, controller);
    if (!path) return std::nullopt;
    for (const std::string_view line : split(mountinfo, '\n')) {
        const auto mount = parse_mount(line);
        const bool is_it =
            mount && (controller.empty() ? mount->type == "cgroup2"
                                         : mount->type == "cgroup" && has_word(mount->options, controller));
        if (!is_it) continue;
        // In a container the mount may show only a part of the hierarchy, and the path need not tell.
        std::string below = *path;
        if (mount->root != "/" && below.starts_with(mount->root)) below = below.substr(mount->root.size());
        return below == "/" ? std::string(mount->point) : concat(mount->point, below);
    }
    return std::nullopt;
}

bool set_memory_limit(const CgroupPaths& group, std::optional<std::int64_t> bytes) {
    if (group.memory.empty()) return false;
    if (exists(group.memory + "/memory.max"))
        return write_file(group.memory + "/memory.max", bytes ? std::to_string(*bytes) : "max");
    return write_file(group.memory + "/memory.limit_in_bytes", std::to_string(bytes.value_or(-1)));
}

std::optional<std::int64_t> memory_limit_of(const CgroupPaths& group) {
    if (group.memory.empty()) return std::nullopt;
    if (const auto limit = number_in(content_of(group.memory + "/memory.max"))) return limit;
    return number_in(content_of(group.memory + "/memory.limit_in_bytes"));
}

std::int64_t out_of_memory_kills(const CgroupPaths& group) {
    if (group.memory.empty()) return 0;
    for (const char* file : {"/memory.events", "/memory.oom_control"}) {
        const std::string text = content_of(group.memory + file);
        for (const std::string_view line : split(text, '\n'))
            if (line.starts_with("oom_kill ")) return number_in(line.substr(9)).value_or(0);
    }
    return 0;
}

bool set_process_limit(const CgroupPaths& group, std::optional<std::int64_t> most) {
    return !group.pids.empty() && write_file(group.pids + "/pids.max", most ? std::to_string(*most) : "max");
}

std::int64_t process_count(const CgroupPaths& group) {
    return group.pids.empty() ? 0 : number_in(content_of(group.pids + "/pids.current")).value_or(0);
}

void enter(const CgroupPaths& group) {
    for (const std::string* path : {&group.memory, &group.pids, &group.killer})
        if (!path->empty()) write_file(*path + "/cgroup.procs", "0");
}

void kill_members(const CgroupPaths& group) {
    if (!group.killer.empty()) write_file(group.killer + "/cgroup.kill", "1");
}

CgroupMaker::CgroupMaker(bool is_wanted) {
    if (!is_wanted) return;
    memory_ = make_place("memory");
    pids_ = make_place("pids");
    unified_ = make_place("");
    // Under version 2 the controllers must be passed on to the children, which fails when this group has members.
    if (unified_.empty()) return;
    const std::string own = unified_.substr(0, unified_.rfind('/'));
    for (const char* controller : {"+memory", "+pids"}) {
        write_file(own + "/cgroup.subtree_control", controller);
        write_file(unified_ + "/cgroup.subtree_control", controller);
    }
}

CgroupMaker::~CgroupMaker() {
    for (const std::string* place : {&memory_, &pids_, &unified_}) remove_group(*place);
}

CgroupPaths CgroupMaker::make(const std::string& name) const {
    CgroupPaths group{make_group(memory_, name), make_group(pids_, name), make_group(unified_, name)};
    if (group.memory.empty() && exists(group.killer + "/memory.max")) group.memory = group.killer;
    if (group.pids.empty() && exists(group.killer + "/pids.max")) group.pids = group.killer;
    return group;
}

void CgroupMaker::remove(const CgroupPaths& group) {
    for (const std::string* path : {&group.memory, &group.pids, &group.killer}) remove_group(*path);
}

}  // namespace holdfast::platform
