#include "tests/http/test_server.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/text.h"

namespace holdfast::http::testing {

void KeptLog::write(const LogLine& line) {
    std::string text = concat(word_of(line.level), " ", line.message);
    for (const auto& [name, value] : line.fields) text += concat(" ", name, "=", value);
    const std::lock_guard lock(mutex_);
    lines_.push_back(text);
}

std::string KeptLog::text() const {
    const std::lock_guard lock(mutex_);
    return join(lines_, "\n");
}

void Gate::pass() {
    std::unique_lock lock(mutex_);
    ++arrived_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return is_open_; });
}

void Gate::await_arrivals(std::size_t count) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::minutes(1), [&] { return arrived_ >= count; }))
        throw std::runtime_error("nobody came to the gate");
}

void Gate::open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
}

std::vector<ServerSentEvent> TestSource::take() {
    const std::lock_guard lock(mutex_);
    ++takes_;
    return std::exchange(events_, {});
}

bool TestSource::ended() const {
    const std::lock_guard lock(mutex_);
    return ended_;
}

void TestSource::on_news(std::function<void()> wake) {
    const std::lock_guard lock(mutex_);
    wake_ = std::move(wake);
}

void TestSource::push(ServerSentEvent event) {
    {
        const std::lock_guard lock(mutex_);
        events_.push_back(std::move(event));
    }
    wake();
}

void TestSource::end() {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    wake();
}

void TestSource::wake() {
    std::function<void()> wake;
    {
        const std::lock_guard lock(mutex_);
        wake = wake_;
    }
    if (wake) wake();
}

std::size_t TestSource::takes() const {
    const std::lock_guard lock(mutex_);
    return takes_;
}

namespace {

Lane lane_of(const Request& request) {
    const std::string first = request.path.empty() ? "" : request.path.front();
    if (first == "probe") return Lane::Probe;
    if (first == "memory") return Lane::Memory;
    return first == "dear" ? Lane::Dear : Lane::Usual;
}

}  // namespace

TestServer::TestServer(Limits limits, std::optional<TlsFiles> tls) {
    ServerParams params;
    params.port = 0;
    params.limits = limits;
    params.tls = std::move(tls);
    params.handle = [this](Request& request) {
        if (lane_of(request) != Lane::Usual) request.path.erase(request.path.begin());
        return handle(request);
    };
    params.lane = lane_of;
    params.answered = [this](const Request& request, int status, Duration) {
        const std::lock_guard lock(mutex_);
        answered_.push_back(concat(request.method, " ", status));
    };
    server_ = std::make_unique<Server>(std::move(params), log);
    server_->start();
}

TestServer::~TestServer() {
    gate.open();
    server_.reset();
}

std::vector<std::string> TestServer::answered() const {
    const std::lock_guard lock(mutex_);
    return answered_;
}

namespace {

nlohmann::json echo_of(const Request& request) {
    return {{"method", request.method},
            {"path", request.path},
            {"query", request.query},
            {"body", request.body},
            {"peer", request.peer},
            {"secure", request.secure},
            {"authorization", request.header("authorization")},
            {"content-type", request.header("content-type")}};
}

}  // namespace

Reply TestServer::handle(const Request& request) {
    const std::string first = request.path.empty() ? "" : request.path.front();
    if (first == "echo") return Response{.body = echo_of(request).dump()};
    if (first == "large") return Response{.body = std::string(std::stoul(request.parameter("bytes").value()), 'x')};
    if (first == "embedded") return Response{.content_type = "text/html", .embedded = "<p>embedded</p>"};
    if (first == "empty") return Response{.status = 204};
    if (first == "rude")
        return Response{.headers = {{"X-Rude", "a\r\nX-Injected: b"}, {"cache-control", "max-age=60"}}, .body = "{}"};
    if (first == "throw") throw std::runtime_error("a secret of the server");
    if (first == "throw-strange") throw 7;
    if (first == "stream") return EventStream{.headers = {{"X-Stream", "yes"}}, .source = source};
    if (first == "no-source") return EventStream{};
    if (first == "later") return Deferred{deferred};
    if (first == "gate") {
        gate.pass();
        return Response{.body = "{}"};
    }
    return Response{.status = 404, .body = "{}"};
}

}  // namespace holdfast::http::testing
