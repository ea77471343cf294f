#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "store/store.h"

namespace holdfast::sim {

/// The changes that a store call may make, and those that its answer confirms.
struct Change {
    /// The end of a lease.
    struct End {
        store::Lease lease = 0;
        Uuid worker = {};  ///< whose lease it is to be
        core::LeaseEnd end = core::LeaseEnd::Completed;
        std::string code = {};      ///< of the error
        std::string evidence = {};  ///< of a verdict
        bool is_final = false;
        bool said_applied = false;
        bool said_refused = false;
    };
    struct Start {
        store::Lease lease = 0;
        Uuid worker = {};           ///< whose lease it is to be
        bool said_started = false;  ///< by this call or before
        bool said_refused = false;
        bool said_withdrawn = false;
    };

    std::string verb;
    bool writes = true;
    std::string detail = {};               ///< for the trace
    Uuid worker = {};                      ///< that calls for itself; nil: another process
    std::map<Uuid, Uuid> claims_for = {};  ///< the worker that may be given leases, and its request
    std::map<Uuid, End> ends = {};         ///< by task
    std::map<Uuid, Start> starts = {};     ///< by task
    std::set<Uuid> forces = {};            ///< tasks that end, whichever lease they have
    std::set<Uuid> marks_lost = {};        ///< workers
    std::set<Uuid> marked_lost = {};       ///< those that the answer confirms
    std::string evidence = {};             ///< for marking them lost
    std::set<Uuid> judges = {};            ///< the workers that the call is a verdict on
    bool prunes = false;
    bool brings_work = false;   ///< wakes workers that wait for work
    bool gives_orders = false;  ///< wakes workers to beat: the answers bring orders
    bool grants = false;        ///< its answer brings leases

    void add(const std::string& part) { detail += (detail.empty() ? "" : "; ") + part; }

    static Change reading(std::string_view verb) { return {.verb = std::string(verb), .writes = false}; }
    static Change writing(std::string_view verb, std::string detail = {}) {
        return {.verb = std::string(verb), .writes = true, .detail = std::move(detail)};
    }
};

/// A call that was given up by its caller, and that the store may still carry out. It owns its parameters, and knows
/// nothing of the process that made it: that may be dead by then.
struct LateCall {
    Change change;
    Duration made_at{};
    std::function<void(store::Store&)> effect;
};

}  // namespace holdfast::sim
