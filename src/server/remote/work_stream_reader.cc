#include "server/remote/work_stream_reader.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "platform/signals.h"

namespace holdfast::remote {

namespace {

using Steady = std::chrono::steady_clock;

constexpr Duration safety_poll_of_bell = std::chrono::seconds(1);
constexpr Duration pause = std::chrono::seconds(1);
/// A server says something every two seconds.
constexpr Duration longest_silence = std::chrono::seconds(6);

}  // namespace

bool WorkBell::wait(Duration at_most) {
    const Duration poll = store::safety_poll_of(topic_, safety_poll_of_bell);
    std::unique_lock lock(mutex_);
    const bool has_rung = rung_.wait_for(lock, std::min(at_most, poll), [this] { return has_rung_; });
    has_rung_ = false;
    return has_rung || at_most >= poll;
}

void WorkBell::ring() {
    {
        const std::lock_guard lock(mutex_);
        has_rung_ = true;
    }
    rung_.notify_all();
}

WorkStreamReader::WorkStreamReader(std::shared_ptr<WorkServers> servers, const Uuid& worker,
                                   std::shared_ptr<WorkBell> work, std::shared_ptr<WorkBell> orders)
    : servers_(std::move(servers)), worker_(worker), work_(std::move(work)), orders_(std::move(orders)) {
    const platform::SignalPause signals_are_for_other_threads;
    thread_ = std::thread([this] { run(); });
}

WorkStreamReader::~WorkStreamReader() {
    {
        const std::lock_guard lock(mutex_);
        is_ending_ = true;
    }
    ended_.notify_all();
    thread_.join();
}

void WorkStreamReader::rest() {
    std::unique_lock lock(mutex_);
    ended_.wait_for(lock, pause, [this] { return is_ending_.load(); });
}

void WorkStreamReader::ring_both() {
    work_->ring();
    orders_->ring();
}

void WorkStreamReader::run() {
    while (!is_ending_) {
        const std::size_t server = servers_->current();
        const std::string why = follow(server);
        if (is_ending_) return;
        ring_both();  // what the stream would have said since it ended
        if (why.empty()) continue;
        say(why, server);
        servers_->leave(server, why);
        if (servers_->current() == server) rest();
    }
}

std::string WorkStreamReader::follow(std::size_t server) {
    goodbye_.clear();
    heard_at_ = Steady::now();
    bool is_silent = false, has_changed = false;
    try {
        const auto client = servers_->connect(server, longest_silence);
        const auto answer = client->stream(
            concat("/api/work/stream?worker=", worker_.to_string()),
            [&](const http::ServerSentEvent& event) { return receive(event, server); },
            [&] {
                is_silent = Steady::now() - heard_at_ > longest_silence;
                has_changed = servers_->current() != server;
                return is_ending_ || is_silent || has_changed;
            },
            servers_->headers(views::newest_work_protocol));
        if (answer.status != 200) (void)servers_->read(answer, server);
    } catch (const Error& failure) {
        return failure.what();
    }
    if (is_ending_ || has_changed) return "";
    if (!goodbye_.empty()) return goodbye_;
    if (is_silent)
        return concat("nothing came through it for ", format_duration(longest_silence),
                      "; does a proxy keep it back?");
    return "it was closed";
}

bool WorkStreamReader::receive(const http::ServerSentEvent& event, std::size_t server) {
    heard_at_ = Steady::now();
    if (!std::exchange(comes_through_, true))
        servers_->log().write(
            {LogLevel::Info, concat("The event stream of ", servers_->url(server), " comes through again"), {}});
    if (event.event == "hello" || event.event == "gap")
        ring_both();
    else if (event.event == "work")
        work_->ring();
    else if (event.event == "orders" || event.event == "rank")
        orders_->ring();
    else if (event.event == "bye")
        goodbye_ = views::value_of(event.data).value("reason", "the server ends it");
    return !is_ending_ && goodbye_.empty();
}

void WorkStreamReader::say(const std::string& why, std::size_t server) {
    if (!std::exchange(comes_through_, false)) return;
    servers_->log().write({LogLevel::Warning,
                           concat("The event stream of ", servers_->url(server), " does not come through: ", why,
                                  ". Until it does, this worker asks for work once a second"),
                           {}});
}

}  // namespace holdfast::remote
