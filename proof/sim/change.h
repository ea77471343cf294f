#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "store/store.h"

namespace holdfast::sim {

/// What a call of the store may change, and what its answer says that it has changed.
struct Change {
    /// The end of a lease.
    struct End {
        store::Lease lease = 0;
        core::LeaseEnd end = core::LeaseEnd::Completed;
        std::string code = {};      ///< of the error
        std::string evidence = {};  ///< of a verdict
        bool is_final = false;
        bool said_applied = false;
        bool said_refused = false;
    };
    struct Start {
        store::Lease lease = 0;
        bool said_started = false;  ///< now, or already
        bool said_refused = false;
        bool said_withdrawn = false;
    };

    std::string verb;
    bool writes = true;
    std::string detail = {};               ///< for the trace
    std::map<Uuid, Uuid> claims_for = {};  ///< the worker that may be given leases, and its request
    std::map<Uuid, End> ends = {};         ///< by task
    std::map<Uuid, Start> starts = {};     ///< by task
    std::set<Uuid> forces = {};            ///< tasks that end whatever their lease is
    std::set<Uuid> marks_lost = {};        ///< workers
    std::set<Uuid> marked_lost = {};       ///< ... of which the answer says so
    std::string evidence = {};             ///< of those
    std::set<Uuid> judges = {};            ///< workers that it is a verdict about
    bool prunes = false;
    bool brings_work = false;   ///< workers that wait for work are woken
    bool gives_orders = false;  ///< workers are to be woken: their beats are told something
    bool grants = false;        ///< the answer brings leases

    static Change reading(std::string_view verb) { return {.verb = std::string(verb), .writes = false}; }
    static Change writing(std::string_view verb, std::string detail = {}) {
        return {.verb = std::string(verb), .writes = true, .detail = std::move(detail)};
    }
};

}  // namespace holdfast::sim
