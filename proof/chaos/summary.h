#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "proof/chaos/judge.h"

namespace holdfast::chaos {

/// The settings of a chaos run.
struct Settings {
    StoreKind store = StoreKind::Sqlite;
    Duration duration = std::chrono::seconds(30);
    int workers = 4;
    int servers = 2;
    int slots = 4;  ///< of each worker
    std::uint64_t seed = 1;
    int failovers = 0;  ///< ends after so many instead of by time; 0: by time
    std::vector<FaultKind> faults = {};
    std::vector<std::string> not_done = {};  ///< faults that this machine does not permit, and why
};

struct SettleFigures {
    std::size_t count = 0;
    Duration p50 = {}, p99 = {}, most = {};
};

/// From promotions to the next run.
struct ResumeFigures {
    std::size_t failovers = 0;
    std::size_t count = 0;  ///< after which a run began
    Duration p50 = {}, p95 = {}, most = {};
};

/// The figures of a run.
struct Summary {
    Settings settings = {};
    std::size_t submitted_tasks = 0, submitted_jobs = 0;  ///< acknowledged by the store
    std::size_t tasks = 0, jobs = 0;                      ///< in the store, with steps and children
    std::size_t completed = 0;
    std::map<std::string, std::size_t> failed = {};  ///< by code, all according to their policies
    std::size_t completed_jobs = 0, failed_jobs = 0;
    std::size_t runs = 0;                            ///< how many began, by the ledger
    std::size_t runs_cut_short = 0;                  ///< those without an end
    std::map<std::string, std::size_t> faults = {};  ///< carried out, by kind
    std::size_t faults_skipped = 0;
    std::size_t processes = 0;  ///< workers and servers that were started
    std::map<Breach, std::size_t> breaches = {};
    std::vector<Complaint> complaints = {};
    std::size_t late_results = 0;
    std::map<std::string, std::size_t> verdicts = {};  ///< on workers, by evidence
    std::size_t unexplained = 0;
    std::map<std::string, SettleFigures> settle = {};  ///< by evidence
    ResumeFigures resume = {};
    Unavoidable unavoidable = {};
    Duration longest_stall = {};
    std::optional<Duration> settled_after = {};
    Duration settle_bound = {};

    [[nodiscard]] bool kept_all_promises() const { return complaints.empty() && settled_after.has_value(); }
};

/// Judges the findings, and counts.
[[nodiscard]] Summary summarise(const Settings& settings, const Findings& findings);

[[nodiscard]] nlohmann::json to_json(const Summary& summary);
/// A table for people, with a line for every figure.
[[nodiscard]] std::string to_table(const Summary& summary);

}  // namespace holdfast::chaos
