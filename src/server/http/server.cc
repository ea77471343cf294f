#include "server/http/server.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <condition_variable>
#include <map>
#include <set>
#include <thread>

#include "base/text.h"
#include "holdfast/errors.h"
#include "platform/signals.h"
#include "server/http/address.h"
#include "server/http/connection.h"

namespace holdfast::http {

namespace {

using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t turned_away_at_once = 64;  // connections over the limit that get a 503
constexpr Duration accept_pause = std::chrono::milliseconds(100);

}  // namespace

class Server::Impl {
public:
    Impl(ServerParams params, Log& log)
        : state_{.params = std::move(params), .log = log},
          work_(state_.loop->get_executor()),
          tls_(state_.params.tls ? tls_for_server(*state_.params.tls) : nullptr),
          acceptors_(listen_on(*state_.loop, state_.params.address, state_.params.port)),
          port_(acceptors_.front().local_endpoint().port()) {}

    ~Impl() { stop(Duration::zero(), "the server stops"); }

    void start() {
        for (tcp::acceptor& acceptor : acceptors_)
            asio::co_spawn(*state_.loop, accept_from(acceptor), [this](const std::exception_ptr& failure) {
                report(failure, "the server takes no connections any more");
            });
        const platform::SignalPause signals_are_for_other_threads;
        thread_ = std::thread([this] { state_.loop->run(); });
    }

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] std::string url() const {
        return url_of(state_.params.address, port_, state_.params.tls.has_value());
    }
    [[nodiscard]] ServerCounts counts() const {
        return {.connections = state_.connections,
                .streams = state_.streams,
                .waiting = state_.waiting(),
                .refused = state_.refused};
    }

    bool reload_tls() {
        if (!state_.params.tls) return true;
        try {
            // The files are read in the caller's thread; the loop only swaps the context.
            asio::post(*state_.loop, [this, tls = tls_for_server(*state_.params.tls)] { tls_ = tls; });
            state_.log.write(
                {LogLevel::Info, "the certificate was read again", {{"file", state_.params.tls->certificate}}});
            return true;
        } catch (const BadInput& defect) {
            state_.log.write({LogLevel::Error, "the certificate stays as it was", {{"error", defect.what()}}});
            return false;
        }
    }

    void stop(Duration grace, const std::string& why) {
        const std::lock_guard once(stopping_);
        // The server was never started, or has stopped already.
        if (!thread_.joinable()) return;
        asio::post(*state_.loop, [this, why] { retire(why); });
        {
            std::unique_lock lock(mutex_);
            // Before retire() has run, a count of zero proves nothing: another client may still be accepted.
            changed_.wait_for(lock, grace, [this] { return has_retired_ && state_.connections == 0; });
        }
        asio::post(*state_.loop, [this] { close_all(); });
        // The pools stop while the loop still runs, because workers post their outcomes to it. Without `work_`, the
        // loop ends as soon as the last connection has.
        state_.stop_pools();
        work_.reset();
        thread_.join();
    }

private:
    // ---- In the loop's thread

    asio::awaitable<void> accept_from(tcp::acceptor& acceptor) {
        asio::steady_timer pause(*state_.loop);
        bool is_in_trouble = false;
        while (acceptor.is_open()) {
            error_code failure;
            tcp::socket socket = co_await acceptor.async_accept(asio::redirect_error(asio::use_awaitable, failure));
            if (!failure) {
                is_in_trouble = false;
                welcome(std::move(socket));
            } else if (acceptor.is_open() && failure != asio::error::connection_aborted) {
                // Most likely the process is out of descriptors: the clients in the backlog are accepted once
                // others disconnect.
                if (!is_in_trouble)
                    state_.log.write({LogLevel::Warning,
                                      "connections cannot be accepted for the moment",
                                      {{"error", failure.message()}}});
                is_in_trouble = true;
                pause.expires_after(accept_pause);
                co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, failure));
            }
        }
    }

    void welcome(tcp::socket socket) {
        const Limits& limits = state_.params.limits;
        const std::string peer = peer_of(socket);
        const std::size_t of_client = connections_of(client_of(peer));
        const auto exceeds = [&](std::size_t allowance) {
            return state_.connections >= limits.max_connections + allowance ||
                   of_client >= limits.max_connections_per_peer + allowance;
        };
        if (state_.stops) return;
        // A few connections over the limit are served a 503; beyond that, dropping the socket closes the
        // connection.
        if (exceeds(turned_away_at_once)) {
            ++state_.refused;
            return;
        }
        error_code ignored;
        socket.set_option(tcp::no_delay(true), ignored);
        keep_from_children(socket.native_handle());
        start(std::make_shared<Connection>(state_, std::move(socket), tls_, peer, exceeds(0)));
    }

    [[nodiscard]] std::size_t connections_of(const std::string& client) const {
        const auto found = by_client_.find(client);
        return found == by_client_.end() ? 0 : found->second;
    }

    void start(const std::shared_ptr<Connection>& connection) {
        ++state_.connections;
        ++by_client_[client_of(connection->peer())];
        open_.insert(connection);
        asio::co_spawn(
            *state_.loop, [connection] { return connection->run(); },
            [this, connection](const std::exception_ptr& failure) {
                report(failure, "a connection failed by a defect of the server");
                connection->close();
                end(connection);
            });
    }

    void end(const std::shared_ptr<Connection>& connection) {
        open_.erase(connection);
        const auto of_client = by_client_.find(client_of(connection->peer()));
        if (--of_client->second == 0) by_client_.erase(of_client);
        const std::lock_guard lock(mutex_);
        // Under the mutex, so that stop() cannot miss the change between its check and its wait.
        --state_.connections;
        changed_.notify_all();
    }

    void retire(const std::string& why) {
        state_.stops = true;
        state_.why_it_stops = why;
        for (tcp::acceptor& acceptor : acceptors_) acceptor.close();
        for (const auto& connection : open_) connection->retire();
        const std::lock_guard lock(mutex_);
        has_retired_ = true;
        changed_.notify_all();
    }

    void close_all() {
        for (const auto& connection : open_) connection->close();
    }

    void report(const std::exception_ptr& failure, const char* message) {
        if (!failure) return;
        try {
            std::rethrow_exception(failure);
        } catch (const std::exception& error) {
            state_.log.write({LogLevel::Error, message, {{"error", error.what()}}});
        }
    }

    ServerState state_;
    asio::executor_work_guard<asio::io_context::executor_type> work_;
    TlsContext tls_;  // used in the loop's thread only; null: plain HTTP
    std::vector<tcp::acceptor> acceptors_;
    const std::uint16_t port_;
    std::set<std::shared_ptr<Connection>> open_;
    std::map<std::string, std::size_t> by_client_;  // the number of connections of each client
    std::mutex mutex_;                              // for `changed_`
    std::condition_variable changed_;
    bool has_retired_ = false;  // guarded by mutex_
    std::mutex stopping_;
    std::thread thread_;
};

Server::Server(ServerParams params, Log& log) : impl_(std::make_unique<Impl>(std::move(params), log)) {}
Server::~Server() = default;

void Server::start() {
    impl_->start();
}

std::uint16_t Server::port() const {
    return impl_->port();
}

std::string Server::url() const {
    return impl_->url();
}

ServerCounts Server::counts() const {
    return impl_->counts();
}

bool Server::reload_tls() {
    return impl_->reload_tls();
}

void Server::stop(Duration grace, const std::string& why) {
    impl_->stop(grace, why);
}

}  // namespace holdfast::http
