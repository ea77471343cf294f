#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::platform {

/// The control groups of one process tree: a directory for each hierarchy that is usable. Empty: none.
struct CgroupPaths {
    std::string memory;  ///< limits memory: of version 1 or 2
    std::string pids;    ///< limits the number of processes and threads
    std::string killer;  ///< of version 2: can kill its members all at once
};

/// False when the limit cannot be set. nullopt: no limit.
bool set_memory_limit(const CgroupPaths& group, std::optional<std::int64_t> bytes);
[[nodiscard]] std::optional<std::int64_t> memory_limit_of(const CgroupPaths& group);
/// How many processes of the group the kernel has killed because they ran out of memory.
[[nodiscard]] std::int64_t out_of_memory_kills(const CgroupPaths& group);
bool set_process_limit(const CgroupPaths& group, std::optional<std::int64_t> most);
[[nodiscard]] std::int64_t process_count(const CgroupPaths& group);
/// Moves this process into the group. Also in a forked child.
void enter(const CgroupPaths& group);
/// Kills all members, where the kernel supports that.
void kill_members(const CgroupPaths& group);

/// Makes control groups below the group of this process, where it is allowed to. All of it is optional: without write
/// access, or without control groups, its groups are empty.
class CgroupMaker {
public:
    /// `is_wanted`: false makes only empty groups.
    explicit CgroupMaker(bool is_wanted);
    ~CgroupMaker();
    CgroupMaker(const CgroupMaker&) = delete;
    CgroupMaker& operator=(const CgroupMaker&) = delete;

    [[nodiscard]] CgroupPaths make(const std::string& name) const;
    /// All members must be dead.
    static void remove(const CgroupPaths& group);

private:
    std::string memory_, pids_, unified_;  // the parents of the groups: directories of this process
};

/// The directory of the control group that a process is in, for the hierarchy with this controller ("memory", "pids";
/// "" for version 2), from the texts of /proc/self/mountinfo and /proc/self/cgroup; nullopt when it is not mounted.
[[nodiscard]] std::optional<std::string> own_cgroup(std::string_view mountinfo, std::string_view cgroup,
                                                    std::string_view controller);

}  // namespace holdfast::platform
