// What thousands of idle event streams cost the server: idle_streams [STREAMS [SECONDS]]. The server is a process of
// its own, so that its memory and time are told apart from those of its clients.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <mutex>
#include <sstream>
#include <thread>
#include <vector>

#include "server/http/server.h"
#include "tests/http/raw_client.h"

namespace {

using namespace holdfast;
using namespace holdfast::http;
using testing::RawClient;
using Clock = std::chrono::steady_clock;

class SilentLog : public Log {
public:
    void write(const LogLine& line) override { std::cerr << line.message << '\n'; }
};

/// Says something when the whole audience is called.
class Listener : public StreamSource {
public:
    std::vector<ServerSentEvent> take() override {
        const std::lock_guard lock(mutex_);
        return std::exchange(events_, {});
    }
    [[nodiscard]] bool ended() const override { return false; }
    void on_news(std::function<void()> wake) override {
        const std::lock_guard lock(mutex_);
        wake_ = std::move(wake);
    }
    void call() {
        const std::lock_guard lock(mutex_);
        events_.push_back({.event = "changed", .data = "{\"tasks\":true}"});
        if (wake_) wake_();
    }

private:
    std::mutex mutex_;
    std::vector<ServerSentEvent> events_;
    std::function<void()> wake_;
};

void write_line(int to, const std::string& text) {
    if (::write(to, text.data(), text.size()) < 0) std::_Exit(2);
}

/// Serves until `orders` ends; a byte on it calls everybody.
[[noreturn]] void serve(int orders, int answers) {
    SilentLog log;
    std::mutex mutex;
    std::vector<std::shared_ptr<Listener>> listeners;
    ServerParams params;
    params.port = 0;
    params.limits.requests_per_second_per_peer = 0;
    params.limits.max_connections = params.limits.max_connections_per_peer = 20'000;
    params.handle = [&](const Request& request) -> Reply {
        if (request.path.empty()) return Response{.body = "{}"};
        const std::lock_guard lock(mutex);
        return EventStream{.source = listeners.emplace_back(std::make_shared<Listener>())};
    };
    Server server(params, log);
    server.start();
    write_line(answers, std::to_string(server.port()) + "\n");
    char order = 0;
    while (::read(orders, &order, 1) == 1) {
        const std::lock_guard lock(mutex);
        for (const auto& listener : listeners) listener->call();
    }
    server.stop(std::chrono::seconds(10));
    std::_Exit(0);
}

double megabytes_of(pid_t pid) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
    return 0;
}

double processor_seconds_of(pid_t pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    std::getline(stat, text);
    std::istringstream fields(text.substr(text.rfind(')') + 2));
    std::string skipped;
    for (int field = 0; field < 11; ++field) fields >> skipped;
    double user = 0;
    double system = 0;
    fields >> user >> system;
    return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double seconds_since(Clock::time_point began) {
    return std::chrono::duration<double>(Clock::now() - began).count();
}

void raise_descriptor_limit() {
    rlimit limit = {};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

void measure(pid_t server, std::uint16_t port, int orders, std::size_t count, int seconds) {
    const double memory_before = megabytes_of(server);
    const auto opening = Clock::now();
    std::vector<RawClient> clients;
    clients.reserve(count);
    for (std::size_t number = 0; number < count; ++number) {
        clients.emplace_back(port);
        clients.back().send(testing::get("/events"));
    }
    for (RawClient& client : clients)
        if (client.answer().status != 200) throw std::runtime_error("a stream was not opened");
    const double opening_seconds = seconds_since(opening);

    const double memory_idle = megabytes_of(server);
    const double processor_before = processor_seconds_of(server);
    std::this_thread::sleep_for(std::chrono::seconds(seconds));
    const double processor_idle = processor_seconds_of(server) - processor_before;

    const auto calling = Clock::now();
    write_line(orders, "!");
    for (RawClient& client : clients)
        if (client.read_until("event: changed").empty()) throw std::runtime_error("a message was lost");
    const double calling_seconds = seconds_since(calling);

    const auto asking = Clock::now();
    constexpr int requests = 2000;
    RawClient asker(port);
    for (int number = 0; number < requests; ++number) {
        asker.send(testing::get("/"));
        if (asker.answer().status != 200) throw std::runtime_error("a request was not answered");
    }
    const double asking_seconds = seconds_since(asking);

    std::cout << std::fixed << std::setprecision(2) << count << " streams opened in " << opening_seconds << " s\n"
              << "memory of the server: " << memory_before << " MB before, " << memory_idle << " MB with them, "
              << (memory_idle - memory_before) * 1024 / static_cast<double>(count) << " KB each\n"
              << "processor while idle: " << processor_idle * 1000 << " ms in " << seconds << " s ("
              << processor_idle / seconds * 100 << " % of a core), with a beat every 15 s\n"
              << "one message to all of them: " << calling_seconds * 1000 << " ms\n"
              << "requests beside them, one after the other: " << asking_seconds / requests * 1e6 << " us each\n";
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t count = argc > 1 ? std::stoul(argv[1]) : 5000;
    const int seconds = argc > 2 ? std::stoi(argv[2]) : 30;
    raise_descriptor_limit();
    int orders[2];
    int answers[2];
    if (pipe(orders) != 0 || pipe(answers) != 0) return 2;
    const pid_t server = fork();
    if (server == 0) {
        close(orders[1]);
        serve(orders[0], answers[1]);
    }
    std::string port;
    for (char byte = 0; ::read(answers[0], &byte, 1) == 1 && byte != '\n';) port += byte;
    measure(server, static_cast<std::uint16_t>(std::stoi(port)), orders[1], count, seconds);
    const auto stopping = Clock::now();
    close(orders[1]);
    int status = 0;
    waitpid(server, &status, 0);
    std::cout << "stopped, with a good-bye to each, in " << seconds_since(stopping) << " s\n";
    return status;
}
