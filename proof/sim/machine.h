#pragma once

#include <map>
#include <optional>
#include <string>

#include "holdfast/time.h"
#include "holdfast/uuid.h"
#include "store/worker_records.h"

namespace holdfast::sim {

/// A simulated machine: its clocks, and its processes by pid; pids are reused after a reboot.
struct Machine {
    int number = 0;
    std::string hostname;
    int boots = 1;
    bool is_up = true;
    bool is_frozen = false;
    Duration frozen_at{};
    Duration asleep{};         ///< time that its monotonic clock has left out
    bool clock_sleeps = true;  ///< CLOCK_MONOTONIC; else CLOCK_BOOTTIME, which goes on
    int last_pid = 100;
    std::map<int, std::uint64_t> processes;   ///< pid -> start time
    std::map<std::int64_t, Uuid> life_locks;  ///< held, by worker: the numbers of an older history may come again

    [[nodiscard]] std::string boot_id() const { return hostname + "-boot-" + std::to_string(boots); }
    [[nodiscard]] Duration monotonic(Duration now) const { return (is_frozen ? frozen_at : now) - asleep; }
    /// A pid that is free at the moment, and was perhaps used before.
    int add_process(Duration now) {
        do {
            last_pid = last_pid >= 140 ? 101 : last_pid + 1;
        } while (processes.contains(last_pid));
        processes[last_pid] = static_cast<std::uint64_t>(now.count() / 10000) + 1;
        return last_pid;
    }
    /// With all its processes.
    void release_life_locks(const Uuid& worker) {
        std::erase_if(life_locks, [&](const auto& lock) { return lock.second == worker; });
    }
    [[nodiscard]] bool has(int pid, std::uint64_t start_time) const {
        const auto found = processes.find(pid);
        return found != processes.end() && found->second == start_time;
    }
};

/// The true state of a worker that has registered.
struct TrueWorker {
    Uuid id;
    std::string process;  ///< "worker-2"
    int machine = 0;
    int boot = 1;
    bool is_alive = true;                        ///< the process
    bool is_cleared = false;                     ///< dead, and all its processes are gone
    Duration last_beat{};                        ///< applied in the store
    std::optional<Duration> registered_at = {};  ///< last,
    std::optional<Duration> forgotten_at = {};   ///< and when its row was deleted since
    Duration died_at{};
    /// When its machine stopped showing anything of it, on that machine's monotonic clock: certain evidence.
    std::optional<Duration> gone_since = {};
};

}  // namespace holdfast::sim
