#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/api/live.h"
#include "server/api/queue_view.h"
#include "server/api/work_bindings.h"
#include "server/api/work_streams.h"

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
    WorkBindings work_bindings = {};
    Live live;                 ///< its thread uses the members before it, as do those
    WorkStreams work_streams;  ///< of this one
};

/// Returns an optional member of an object; nullopt: it is missing or null.
template <typename Type>
[[nodiscard]] std::optional<Type> given(const Value& object, const std::string& name) {
    const auto found = object.find(name);
    if (found == object.end() || found->is_null()) return std::nullopt;
    return found->get<Type>();
}
[[nodiscard]] inline std::string text_in(const Value& object, const std::string& name) {
    return given<std::string>(object, name).value_or("");
}
/// Both read a text that the schema has already validated.
[[nodiscard]] std::optional<Duration> length_in(const Value& object, const std::string& name);
[[nodiscard]] Uuid id_in(const Value& object);  ///< the member "id"; nil: it is missing

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

    /// Returns the value of {name} in the path.
    [[nodiscard]] const std::string& path(const std::string& name) const { return match_.path.at(name); }

    /// Returns a connection, lent by the pool until the call ends. It shows only what the client's token may see.
    [[nodiscard]] store::Store& store();
    /// The same without regard to the queues of the token, for a handler that checks them itself.
    [[nodiscard]] store::Store& whole_store();
    /// Returns the configuration as of the first time that this call asked for it. Its catalog contains only what the
    /// client's token may see.
    [[nodiscard]] const config::Config& config();

    // Parameters of the query
    [[nodiscard]] bool is_given(const std::string& parameter) const { return query.contains(parameter); }
    [[nodiscard]] std::string text(const std::string& name) const { return query.value(name, ""); }
    [[nodiscard]] bool flag(const std::string& name) const { return query.value(name, false); }
    [[nodiscard]] std::int64_t number(const std::string& name, std::int64_t otherwise) const {
        return query.value(name, otherwise);
    }
    [[nodiscard]] std::optional<Duration> length(const std::string& name) const { return length_in(query, name); }
    /// Returns the states of ?state; empty: all.
    template <Worded State>
    [[nodiscard]] std::vector<State> states() const {
        std::vector<State> states;
        for (const Value& word : query.value("state", Value::array()))
            states.push_back(parse_word<State>(word.get_ref<const std::string&>()).value());
        return states;
    }
    [[nodiscard]] std::size_t limit() const { return static_cast<std::size_t>(number("limit", 50)); }
    [[nodiscard]] Duration patience() const;  ///< of a wait: ?timeout, by default 30 s, at most one minute

    // Members of the body
    [[nodiscard]] std::string body_text(const std::string& name) const { return text_in(body, name); }
    [[nodiscard]] bool body_flag(const std::string& name) const { return given<bool>(body, name).value_or(false); }

    /// Writes an event for an order that the store itself does not record. `after`: what it did.
    void note_order(std::string kind, std::string message, const Json& after, const Uuid& task = {});

private:
    RouteMatch match_;
    std::string& caller_name_;
    StorePool::Lent lent_;
    std::optional<QueueView> view_;  ///< of a token that is limited to queues
    std::shared_ptr<const config::Config> config_;
};

/// Answers a page of lines: {"items", "next", "ended"}. `number` is the member or function that gives the number of a
/// line; `next` is that of the last line. `has_ended`: nothing more will be written.
template <typename Line, typename Number>
[[nodiscard]] http::Response answer_lines(const Call& call, const std::vector<Line>& lines, Number number,
                                          bool has_ended) {
    return answer({{"items", views::array_of(lines)},
                   {"next", lines.empty() ? call.number("after", 0) : std::invoke(number, lines.back())},
                   {"ended", lines.size() < call.limit() && has_ended}});
}

/// Returns the Last-Event-ID with which a client resumes a stream; nullopt: it is missing, or not a valid number.
[[nodiscard]] std::optional<std::int64_t> last_event_id(const http::Request& request);

}  // namespace holdfast::api
