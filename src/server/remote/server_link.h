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

/// The server says that something stands in the way: a name that is taken, an id that several have.
class Conflict : public BadInput {
public:
    using BadInput::BadInput;
};

/// A server, asked through its API. What it refuses is thrown as its store would have thrown it: BadInput and its
/// kinds, Unavailable, Unusable (no token, or one that does not reach). Calls from several threads take turns.
class ServerLink {
public:
    explicit ServerLink(const http::ClientParams& params) : url_(params.url), client_(params) {}

    [[nodiscard]] Json get(const std::string& path, const Query& query = {});
    /// As get(), but null where there is no such thing.
    [[nodiscard]] Json find(const std::string& path, const Query& query = {});
    Json post(const std::string& path, const Json& body = Json::object());
    /// What became of an order: its `status`, or "finished" and "not_found" where the server refuses it for that.
    [[nodiscard]] std::string order(const std::string& path, const Json& body = Json::object());
    /// The same for something that is put in its place.
    [[nodiscard]] std::string put(const std::string& path, const Json& body);
    /// The same for a removal.
    [[nodiscard]] std::string remove(const std::string& path);
    /// `items` of a list, all pages of it up to `limit`.
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

/// "/api/jobs/ID/steps/a%2Fb": what stands between the slashes may be anything.
[[nodiscard]] std::string path_of(const std::vector<std::string>& segments);
[[nodiscard]] std::string with_query(const std::string& path, const Query& query);

}  // namespace holdfast::remote
