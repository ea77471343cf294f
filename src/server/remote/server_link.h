#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "holdfast/errors.h"
#include "server/http/client.h"
#include "views/json.h"

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
/// calls are serialized.
class ServerLink {
public:
    explicit ServerLink(const http::ClientParams& params) : url_(params.url), client_(params) {}

    [[nodiscard]] Json get(const std::string& path, const Query& query = {});
    /// As get(), but returns null when the server answers 404.
    [[nodiscard]] Json find(const std::string& path, const Query& query = {});
    Json post(const std::string& path, const Json& body = Json::object());
    /// Sends an order and returns its `status`; "not_found" when the server answers 404, "finished" when it answers
    /// 409.
    [[nodiscard]] std::string order(const std::string& path, const Json& body = Json::object());
    /// The same with PUT.
    [[nodiscard]] std::string put(const std::string& path, const Json& body);
    /// The same with DELETE.
    [[nodiscard]] std::string remove(const std::string& path);
    /// Returns the `items` of a list, from as many pages as needed, up to `limit`.
    [[nodiscard]] std::vector<Json> list(const std::string& path, Query query, std::size_t limit);

    [[nodiscard]] const std::string& url() const { return url_; }

private:
    [[nodiscard]] http::Client::Answer send(const std::string& method, const std::string& target,
                                            const std::string& body);
    [[nodiscard]] Json read(const http::Client::Answer& answer) const;
    [[nodiscard]] std::string status_in(const http::Client::Answer& answer) const;

    const std::string url_;
    std::mutex turn_;
    http::Client client_;
};

/// Returns the path of the segments below /api, such as "/api/jobs/ID/steps/a%2Fb". A segment may contain any
/// character; it is percent-encoded.
[[nodiscard]] std::string path_of(const std::vector<std::string>& segments);
[[nodiscard]] std::string with_query(const std::string& path, const Query& query);

}  // namespace holdfast::remote
