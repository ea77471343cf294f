#pragma once

#include <string>

#include "proof/sim/world.h"

namespace holdfast::sim {

/// The sum of many runs.
struct Totals {
    std::uint64_t runs = 0;
    std::uint64_t store_calls = 0;
    std::uint64_t disk_operations = 0;
    std::uint64_t events = 0;
    Duration virtual_time{};
    std::uint64_t tasks = 0;
    std::uint64_t jobs = 0;
    std::uint64_t task_runs = 0;
    LostHistory lost = {};
    std::map<Fault, std::uint64_t> faults;
    std::uint64_t failures = 0;  ///< runs with a violation
    std::uint64_t hash = 0;      ///< of all runs together

    void add(const RunReport& report);
    [[nodiscard]] std::uint64_t fault_count() const;
};

/// One line: "seed 17: 8213 store calls, 214 faults, 0.4 virtual hours, hash 1234567890abcdef".
[[nodiscard]] std::string describe(const RunReport& report);
/// A table for people.
[[nodiscard]] std::string describe(const Totals& totals, double seconds);
/// For docs/proof.md: a row of the table, and below it a line with the faults by kind.
[[nodiscard]] std::string proof_row(const Totals& totals, double seconds);

/// A run that broke a promise, made as small as it can be.
struct Failure {
    RunReport first;
    RunReport smallest;     ///< with as few faults as possible, and its last lines
    std::size_t tried = 0;  ///< how many runs it took to find it
};
/// Repeats the run with fewer faults while it still breaks a promise of the same name.
[[nodiscard]] Failure shrink(const RunOptions& options, const RunReport& failed, std::size_t at_most);
/// `again`: the command that repeats the run.
[[nodiscard]] std::string describe(const Failure& failure, const std::string& again);

}  // namespace holdfast::sim
