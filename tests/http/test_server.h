#pragma once

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <string>
#include <vector>

#include "base/log.h"
#include "server/http/server.h"
#include "tests/http/raw_client.h"

namespace holdfast::http::testing {

/// Keeps the lines.
class KeptLog : public Log {
public:
    void write(const LogLine& line) override;
    [[nodiscard]] std::string text() const;

private:
    mutable std::mutex mutex_;
    std::vector<std::string> lines_;
};

/// Handlers wait at it until the test lets them through.
class Gate {
public:
    /// For handlers: returns once it is open.
    void pass();
    /// For tests: until that many wait, or have waited, at it.
    void await_arrivals(std::size_t count);
    void open();

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t arrived_ = 0;
    bool is_open_ = false;
};

/// A stream that a test fills.
class TestSource : public StreamSource {
public:
    std::vector<ServerSentEvent> take() override;
    [[nodiscard]] bool ended() const override;
    void on_news(std::function<void()> wake) override;

    void push(ServerSentEvent event);
    void end();
    void wake();
    [[nodiscard]] std::size_t takes() const;  ///< how often the server has asked

private:
    mutable std::mutex mutex_;
    std::vector<ServerSentEvent> events_;
    std::function<void()> wake_;
    bool ended_ = false;
    std::size_t takes_ = 0;
};

/// A server with these routes: /echo says what it got, /large?bytes=N, /throw, /gate waits for `gate`, /stream is
/// `source`, /later is `deferred`, everything else 404. What begins with /dear, /memory or /probe goes to these
/// lanes, and is then what comes after.
class TestServer {
public:
    explicit TestServer(Limits limits = {}, std::optional<TlsFiles> tls = {});
    ~TestServer();
    TestServer(const TestServer&) = delete;
    TestServer& operator=(const TestServer&) = delete;

    Server& operator*() { return *server_; }
    Server* operator->() { return server_.get(); }
    [[nodiscard]] std::uint16_t port() const { return server_->port(); }
    /// Every answered request, "GET 200".
    [[nodiscard]] std::vector<std::string> answered() const;

    KeptLog log;
    Gate gate;
    std::shared_ptr<TestSource> source = std::make_shared<TestSource>();
    std::shared_ptr<DeferredReply> deferred = std::make_shared<DeferredReply>();

private:
    Reply handle(const Request& request);

    mutable std::mutex mutex_;
    std::vector<std::string> answered_;
    std::unique_ptr<Server> server_;
};

/// Waits until it holds; false after a minute.
template <typename Condition>
bool eventually(Condition condition) {
    for (int look = 0; look < 6000; ++look) {
        if (condition()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

}  // namespace holdfast::http::testing
