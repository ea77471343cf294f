#pragma once

#include <string>
#include <vector>

#include "store/store.h"
#include "views/overview.h"
#include "views/worker.h"

namespace holdfast::views {

// The concerns about workers and recovery, which the overview and 'doctor' share.

/// Who could do the work, and what waits for them.
struct Readiness {
    std::vector<WorkerView> workers = {};
    std::vector<Uuid> unregistered = {};  ///< workers that hold tasks but have no row
    std::vector<store::RouteBacklog> backlog = {};
    std::int64_t pending = 0;
    std::string sweeper = {};  ///< empty: no process does recovery
};

/// Reads all but `pending`, which its callers count in their own ways.
[[nodiscard]] Readiness read_readiness(store::Store& store, const config::RecoveryConfig& config);

[[nodiscard]] WorkerCounts count_workers(const std::vector<WorkerView>& workers);

/// The concerns, in no order. Pure.
[[nodiscard]] std::vector<Concern> concerns_about(const Readiness& readiness);

/// "1 task", "3 tasks"
[[nodiscard]] std::string counted(std::int64_t count, std::string_view one, std::string_view many);

/// Collects concerns. One that counts nothing is left out.
struct Concerns {
    std::vector<Concern> all = {};

    void problem(std::string kind, std::int64_t count, std::string text, Link link) {
        if (count > 0) all.push_back({std::move(kind), Severity::Problem, std::move(text), std::move(link), count});
    }
    void warning(std::string kind, std::int64_t count, std::string text, Link link) {
        if (count > 0) all.push_back({std::move(kind), Severity::Warning, std::move(text), std::move(link), count});
    }
};

}  // namespace holdfast::views
