#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/random.h"
#include "server/api/access.h"
#include "server/api/answers.h"
#include "server/api/live.h"
#include "server/api/parts.h"
#include "server/api/recent.h"
#include "server/api/route.h"
#include "server/api/store_pool.h"

namespace holdfast::api {

using schema::Value;

/// What handlers work with, for as long as the API lives.
class Services {
public:
    Services(ApiParts given, Random& random_port, Log& log_port);

    const ApiParts parts;
    Random& random;
    Log& log;
    StorePool stores;
    Access access;

    // What many pages ask for at once
    struct Counts {
        store::TaskCounts tasks = {};
        store::JobCounts jobs = {};
    };
    [[nodiscard]] Counts counts(store::Store& store);
    [[nodiscard]] store::Stats statistics(store::ServerStore& store, const store::StatsParams& params);

    Recent<int, store::TaskCounts> recent_task_counts;
    Recent<int, store::JobCounts> recent_job_counts;
    Recent<std::pair<Duration, int>, store::Stats> recent_statistics;

    Live live;  ///< the last: its thread uses the others
};

/// One request on its way to its answer: who asks, and what, read and checked.
class Call {
public:
    /// Checks query and body by the route's schemas. Throws BAD_REQUEST, BAD_PARAMETER or NOT_JSON. `caller_name`:
    /// for the log; outlives it.
    Call(Services& services, const http::Request& request, RouteMatch match, Caller caller, std::string& caller_name);

    Services& services;
    const http::Request& request;
    const Route& route;
    const Caller caller;
    Value query = Value::object();  ///< only what was given
    Value body = Value::object();   ///< of a route that has none: empty

    /// Who asks, on a route that is for everybody. Throws as Access does.
    [[nodiscard]] Caller identify();
    /// Notes for the log who it turned out to be.
    void note_caller(const Caller& known) { caller_name_ = known.name; }

    /// What stood in the place of {name}.
    [[nodiscard]] const std::string& path(std::string_view name) const;

    /// A connection, lent until the call is over.
    [[nodiscard]] store::Store& store();
    /// The configuration as it was when it was first asked for.
    [[nodiscard]] const config::Config& config();

    // Of the query
    [[nodiscard]] std::string text(const std::string& parameter) const;  ///< "": not given
    [[nodiscard]] bool is_given(const std::string& parameter) const { return query.contains(parameter); }
    [[nodiscard]] bool flag(const std::string& parameter) const;
    [[nodiscard]] std::int64_t number(const std::string& parameter, std::int64_t otherwise) const;
    [[nodiscard]] std::optional<Duration> length(const std::string& parameter) const;
    [[nodiscard]] std::size_t limit() const;
    [[nodiscard]] Duration patience() const;  ///< of a wait: 30 s unless ?timeout says otherwise, a minute at most

    // Of the body
    [[nodiscard]] std::string body_text(const std::string& member) const;  ///< "": not given, or null
    [[nodiscard]] std::optional<Duration> body_length(const std::string& member) const;

    /// Leaves an event that says who did what: for orders of which the store itself writes none.
    void audit(std::string message, const Uuid& task = {}, const Uuid& worker = {}, const Uuid& job = {});

private:
    RouteMatch match_;
    std::string& caller_name_;
    std::optional<StorePool::Lent> lent_;
    std::shared_ptr<const config::Config> config_;
};

/// A member of a body that may be left out or null.
[[nodiscard]] inline const Value* given(const Value& object, const std::string& member) {
    const auto found = object.find(member);
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

/// Where a stream that was cut off goes on; nullopt: it did not begin before.
[[nodiscard]] std::optional<std::int64_t> last_event_id(const http::Request& request);

/// A duration that the schema has found good.
[[nodiscard]] Duration duration_of(const std::string& text);

}  // namespace holdfast::api
