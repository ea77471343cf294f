#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "client/catalog_changes.h"
#include "engine/recovery/manual_recovery.h"
#include "engine/recovery/sweeper.h"
#include "holdfast/errors.h"
#include "server/http/client.h"
#include "views/audit.h"
#include "views/members.h"
#include "views/recovery.h"
#include "views/task.h"
#include "views/token.h"

namespace holdfast::remote {

using views::Json;
using Query = std::map<std::string, std::string>;

/// The server reports a conflict: a name that is taken, or an ambiguous id.
class Conflict : public BadInput {
public:
    using BadInput::BadInput;
};

/// A server, called through its API. A refusal is thrown as the exception that the store would throw: BadInput and
/// its subclasses, Unavailable, or Unusable (the token is missing or lacks the permission). Any thread may call;
/// calls are serialized. Parameters of a query that are empty are not sent.
class ServerLink {
public:
    explicit ServerLink(const http::ClientParams& params) : url_(params.url), client_(params) {}

    [[nodiscard]] Json get(const std::string& path, const Query& query = {});
    /// As get(), but returns null when the server answers 404.
    [[nodiscard]] Json find(const std::string& path);
    Json post(const std::string& path, const Json& body = Json::object());
    /// Sends an order and returns its `status`; "not_found" when the server answers 404, "finished" when it answers
    /// 409.
    [[nodiscard]] std::string order(const std::string& path, const Json& body = Json::object());
    /// The same with PUT.
    [[nodiscard]] std::string put(const std::string& path, const Json& body);
    /// The same with DELETE.
    [[nodiscard]] std::string remove(const std::string& path, const Query& query = {});

    /// Returns the `items` of one page of a list.
    template <typename Record>
    [[nodiscard]] std::vector<Record> items(const std::string& path, const Query& query = {}) {
        return views::from_json_shape<std::vector<Record>>(get(path, query).at("items"));
    }
    /// Returns the `items` of a list, from as many pages as needed, up to `limit`.
    template <typename Record>
    [[nodiscard]] std::vector<Record> list(const std::string& path, const Query& query, std::size_t limit) {
        return views::from_json_shape<std::vector<Record>>(list_shapes(path, query, limit));
    }

    /// Returns the time by the clock of the server's store.
    [[nodiscard]] Timestamp now();
    [[nodiscard]] const std::string& url() const { return url_; }

private:
    [[nodiscard]] http::Client::Answer send(const std::string& method, const std::string& target,
                                            const std::string& body);
    [[nodiscard]] Json read(const http::Client::Answer& answer) const;
    [[nodiscard]] std::string status_in(const http::Client::Answer& answer) const;
    [[nodiscard]] Json list_shapes(const std::string& path, Query query, std::size_t limit);

    const std::string url_;
    std::mutex turn_;
    http::Client client_;
};

/// Returns the path of the segments below /api, such as "/api/jobs/ID/steps/a%2Fb". A segment may contain any
/// character; it is percent-encoded.
[[nodiscard]] std::string path_of(const std::vector<std::string>& segments);

// Calls of the API that a command needs in addition to the verbs of store::ClientStore.

/// Returns everything that the server knows about a task. Throws UnknownTask.
[[nodiscard]] views::TaskStory task_story(ServerLink& server, const Uuid& task);

/// Stores the schedules in the server's store and returns the changes; with `dry_run`, only returns the changes.
client::ScheduleChanges apply_schedules(ServerLink& server, const std::vector<store::ScheduleDefinition>& wanted,
                                        bool dry_run);

// Recovery. The server checks from its own machine, with its own configuration.
[[nodiscard]] views::RecoveryStatus recovery_status(ServerLink& server);
[[nodiscard]] std::vector<engine::StaleTask> stale_tasks(ServerLink& server,
                                                         const std::optional<Duration>& threshold);
/// `order`: "fail-running" or "requeue-claimed".
engine::ManualAnswer settle(ServerLink& server, const std::string& order, const std::optional<Duration>& threshold);
engine::SweepReport sweep(ServerLink& server);
store::PruneAnswer prune(ServerLink& server, const views::PruneOrder& order);

/// Searches the audit as views::search_audit does; `query`: the parameters of GET /api/audit.
[[nodiscard]] views::AuditPage search_audit(ServerLink& server, const Query& query);

using views::MadeToken;
/// Creates a token with the name, scope and queues of `wanted`, valid for `lasts` (a duration; empty: until it is
/// revoked). Throws Conflict when the name is taken.
MadeToken create_token(ServerLink& server, const store::NewToken& wanted, const std::string& lasts);

}  // namespace holdfast::remote
