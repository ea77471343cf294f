#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/random.h"
#include "holdfast/errors.h"
#include "server/http/client.h"
#include "views/work.h"

namespace holdfast::remote {

/// The servers that a worker may use, all of one store, and which of them it uses now. All connections of the worker
/// change over together. Thread-safe.
class WorkServers {
public:
    struct Params {
        std::vector<std::string> urls = {};  ///< in the order in which they are tried
        std::string token = {};
        std::string ca_file = {};
    };
    /// Draws the worker's secret. Throws BadInput for a malformed URL.
    WorkServers(Params params, Random& random, Log& log);

    [[nodiscard]] std::size_t count() const { return params_.urls.size(); }
    [[nodiscard]] std::size_t current() const { return current_; }
    [[nodiscard]] const std::string& url(std::size_t server) const { return params_.urls.at(server); }
    /// Makes the next server the current one, unless another thread has done so since `server` was.
    void leave(std::size_t server, std::string_view why);

    [[nodiscard]] std::unique_ptr<http::Client> connect(std::size_t server, Duration answer_timeout) const;
    /// The headers of every call.
    [[nodiscard]] http::Headers headers(int protocol) const;
    /// Returns the body of an answer. Throws what fits its status: see WorkConnection::post().
    [[nodiscard]] views::Json read(const http::Client::Answer& answer, std::size_t server) const;
    /// Asks the server which versions it speaks. Throws Unusable when there is none that both speak, or when it is
    /// not a Holdfast server.
    [[nodiscard]] views::WorkWelcome meet(http::Client& client, std::size_t server) const;
    [[nodiscard]] Log& log() { return log_; }
    /// Everything that a process needs to act for the worker, as text: for its witness.
    [[nodiscard]] std::string as_text(const Uuid& worker) const;
    /// The same servers, in another process.
    struct Restored;
    [[nodiscard]] static Restored from_text(const std::string& text, Log& log);

private:
    WorkServers(Params params, std::string secret, Log& log);

    const Params params_;
    const std::string secret_;
    Log& log_;
    std::atomic<std::size_t> current_ = 0;
    std::mutex mutex_;
    std::optional<std::chrono::steady_clock::time_point> said_at_;  // guarded by mutex_: that it changed over
};

struct WorkServers::Restored {
    std::shared_ptr<WorkServers> servers = {};
    Uuid worker = {};
};

/// The server does not know the worker: its row was removed, or the store has gone back. It registers again.
class UnknownWorker : public Unavailable {
public:
    using Unavailable::Unavailable;
};
/// The body is larger than the server takes.
class BodyTooLarge : public Unavailable {
public:
    using Unavailable::Unavailable;
};

/// One connection of a worker to the server that it uses now. Any thread may call; calls are serialized.
class WorkConnection {
public:
    WorkConnection(std::shared_ptr<WorkServers> servers, Duration answer_timeout)
        : servers_(std::move(servers)), answer_timeout_(answer_timeout) {}

    /// Sends the request and returns the answer. When a server does not answer, the same request goes to the next
    /// one: every call of a worker is safe to repeat. Throws UnknownWorker, BodyTooLarge, Unavailable when no server
    /// answers, and Unusable when one refuses the token, the worker or its version.
    [[nodiscard]] views::Json post(const std::string& path, const std::string& body);
    /// Meets the current server, or the next that answers. Throws as post() does.
    void meet();

private:
    template <typename Call>
    views::Json try_servers(const Call& call);
    void meet_current(std::size_t server);

    const std::shared_ptr<WorkServers> servers_;
    const Duration answer_timeout_;
    std::mutex turn_;
    // The connection, and the server that it goes to.
    std::optional<std::size_t> server_;
    std::unique_ptr<http::Client> client_;
    std::optional<views::WorkWelcome> welcome_;
};

}  // namespace holdfast::remote
