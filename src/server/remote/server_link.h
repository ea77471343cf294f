#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "holdfast/errors.h"
#include "server/http/client.h"
#include "views/members.h"

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

}  // namespace holdfast::remote
