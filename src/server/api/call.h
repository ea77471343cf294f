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
#include "server/api/route.h"
#include "server/api/store_pool.h"

namespace holdfast::api {

using schema::Value;

/// The services that all handlers share. They live as long as the API.
class Services {
public:
    Services(ApiParts given, Random& random_port, Log& log_port);

    const ApiParts parts;
    Random& random;
    Log& log;
    StorePool stores;
    Access access;
    RecentCounts counts;
    Live live;  ///< the last member: its thread uses the others
};

/// One request while its handler answers it: the client, the parameters and the body, parsed and checked.
class Call {
public:
    /// Checks query and body against the route's schemas. Throws BAD_REQUEST, BAD_PARAMETER or NOT_JSON.
    /// `caller_name` receives the name for the log; it outlives the call.
    Call(Services& services, const http::Request& request, RouteMatch match, Caller caller, std::string& caller_name);

    Services& services;
    const http::Request& request;
    const Route& route;
    const Caller caller;
    Value query = Value::object();  ///< only the parameters that the client gave
    Value body = Value::object();   ///< empty for a route without a body

    /// Returns the client, on a route that needs no scope. Throws as Access::identify does.
    [[nodiscard]] Caller identify();
    /// Sets the name of the client for the log, once the handler knows it.
    void note_caller(const Caller& known) { caller_name_ = known.name; }

    /// Returns the value of {name} in the path; empty: the route does not have it.
    [[nodiscard]] const std::string& path(std::string_view name) const;

    /// Returns a connection, lent by the pool until the call ends.
    [[nodiscard]] store::Store& store();
    /// Returns the configuration as of the first time that this call asked for it.
    [[nodiscard]] const config::Config& config();

    // Parameters of the query
    [[nodiscard]] std::string text(const std::string& parameter) const;  ///< empty: not given
    [[nodiscard]] bool is_given(const std::string& parameter) const { return query.contains(parameter); }
    [[nodiscard]] bool flag(const std::string& parameter) const;
    [[nodiscard]] std::int64_t number(const std::string& parameter, std::int64_t otherwise) const;
    [[nodiscard]] std::optional<Duration> length(const std::string& parameter) const;
    [[nodiscard]] std::size_t limit() const;
    [[nodiscard]] Duration patience() const;  ///< of a wait: ?timeout, by default 30 s, at most one minute

    // Members of the body
    [[nodiscard]] std::string body_text(const std::string& member) const;  ///< empty: not given, or null
    [[nodiscard]] std::optional<Duration> body_length(const std::string& member) const;

    /// Writes an event that says who did what, for orders that the store itself does not record.
    void audit(std::string message, const Uuid& task = {}, const Uuid& worker = {}, const Uuid& job = {});

private:
    RouteMatch match_;
    std::string& caller_name_;
    StorePool::Lent lent_;
    std::shared_ptr<const config::Config> config_;
};

/// Returns an optional member of a body; nullptr: it is missing or null.
[[nodiscard]] inline const Value* given(const Value& object, const std::string& member) {
    const auto found = object.find(member);
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

/// Returns the Last-Event-ID with which a client resumes a stream; nullopt: it is missing, or not a valid number.
[[nodiscard]] std::optional<std::int64_t> last_event_id(const http::Request& request);

/// Returns the duration of a text that the schema has already validated.
[[nodiscard]] Duration duration_of(const std::string& text);

}  // namespace holdfast::api
