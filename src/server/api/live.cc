#include "server/api/live.h"

#include <algorithm>

#include "base/text.h"
#include "platform/real_clock.h"

namespace holdfast::api {

namespace {

using Steady = std::chrono::steady_clock;

/// The shortest pause between two rounds, however often the store notifies.
constexpr auto shortest_rest = std::chrono::milliseconds(50);
constexpr auto longest_rest = std::chrono::seconds(1);
constexpr auto rest_beside_logs = std::chrono::milliseconds(500);
constexpr auto tokens_checked_every = std::chrono::seconds(5);

template <typename Stream>
std::vector<std::shared_ptr<Stream>> open_ones(std::vector<std::weak_ptr<Stream>>& streams) {
    std::vector<std::shared_ptr<Stream>> open;
    std::erase_if(streams, [&](const std::weak_ptr<Stream>& weak) {
        auto stream = weak.lock();
        if (!stream || stream->ended()) return true;
        open.push_back(std::move(stream));
        return false;
    });
    return open;
}

/// Wakes the watch of Live's thread whenever work arrives. The end of a task already wakes that watch.
class WorkBell {
public:
    WorkBell(store::ClientStore& store, store::Watch& done)
        : work_(store.watch(store::Topic::Work)), done_(done), thread_([this] { run(); }) {}
    ~WorkBell() {
        stopping_ = true;
        work_->wake();
        thread_.join();
    }
    WorkBell(const WorkBell&) = delete;
    WorkBell& operator=(const WorkBell&) = delete;

private:
    void run() {
        while (!stopping_) {
            try {
                if (work_->wait(longest_rest)) done_.wake();
            } catch (const StoreError&) {
                return;  // Live's thread gets the error too, and reconnects
            }
        }
    }

    std::unique_ptr<store::Watch> work_;
    store::Watch& done_;
    std::atomic<bool> stopping_ = false;
    std::thread thread_;
};

}  // namespace

Live::Live(LiveParams params, Log& log) : params_(std::move(params)), log_(log), sign_(params_.patience) {
    sign_.succeeded();  // the first round is about to start
    thread_ = std::thread([this] { run(); });
}

Live::~Live() {
    stopping_ = true;
    ring();
    thread_.join();
    end_streams("the server stops");
}

std::shared_ptr<http::StreamSource> Live::events(EventFilter filter, std::optional<std::int64_t> after,
                                                 std::string token_hash) {
    auto stream = std::make_shared<EventStream>(std::move(filter), after, std::move(token_hash));
    {
        const std::lock_guard lock(mutex_);
        event_streams_.push_back(stream);
    }
    ring();
    return stream;
}

std::shared_ptr<http::StreamSource> Live::log_of(const Uuid& task, std::int64_t after, std::string token_hash) {
    auto stream = std::make_shared<LogStream>(task, after, std::move(token_hash));
    {
        const std::lock_guard lock(mutex_);
        log_streams_.push_back(stream);
    }
    ring();
    return stream;
}

http::Deferred Live::wait_for(Waited waited, Duration timeout) {
    http::Deferred deferred = waiting_.add(waited, timeout);
    ring();
    return deferred;
}

void Live::ring() {
    const std::lock_guard lock(mutex_);
    if (watch_ != nullptr) watch_->wake();
    woken_.notify_all();
}

void Live::end_streams(const std::string& why) {
    for (const auto& stream : open_event_streams()) stream->end(goodbye(why));
    for (const auto& stream : open_log_streams()) stream->end(goodbye(why));
    waiting_.give_up_all(why);
}

std::vector<std::shared_ptr<EventStream>> Live::open_event_streams() {
    const std::lock_guard lock(mutex_);
    return open_ones(event_streams_);
}

std::vector<std::shared_ptr<LogStream>> Live::open_log_streams() {
    const std::lock_guard lock(mutex_);
    return open_ones(log_streams_);
}

// ---- The thread ---------------------------------------------------------------------------------

void Live::run() {
    while (!stopping_) {
        sleep_until_needed();
        if (stopping_) break;
        try {
            watch_store();
        } catch (const StoreError& failure) {
            if (!is_away_)
                log_.write(
                    {LogLevel::Warning, concat("the live streams cannot read the store: ", failure.what()), {}});
            is_away_ = true;
            sign_.failed(failure.what());
            waiting_.give_up_overdue();
            std::unique_lock lock(mutex_);
            woken_.wait_for(lock, longest_rest, [&] { return stopping_.load(); });
        }
    }
    do_last_chores();
}

void Live::do_last_chores() {
    if (!params_.has_chores(/*at_the_end=*/true)) return;
    try {
        params_.chores(*params_.open(), /*at_the_end=*/true);
    } catch (const StoreError& failure) {
        log_.write({LogLevel::Warning, concat("the last uses of tokens are not noted: ", failure.what()), {}});
    }
}

bool Live::is_needed() {
    return params_.has_chores(/*at_the_end=*/false) || !waiting_.is_empty() || !open_ones(event_streams_).empty() ||
           !open_ones(log_streams_).empty();
}

void Live::sleep_until_needed() {
    std::unique_lock lock(mutex_);
    while (!stopping_ && !is_needed()) {
        sign_.succeeded();
        woken_.wait_for(lock, longest_rest);
    }
}

void Live::watch_store() {
    const auto store = params_.open();
    const auto watch = store->watch(store::Topic::Done);
    const WorkBell bell(*store, *watch);
    struct Exposed {  // lets ring() wake the watch while it exists
        Live& live;
        Exposed(Live& owner, store::Watch* watch) : live(owner) { set(watch); }
        ~Exposed() { set(nullptr); }
        void set(store::Watch* watch) const {
            const std::lock_guard lock(live.mutex_);
            live.watch_ = watch;
        }
    } const exposed(*this, watch.get());
    while (!stopping_) {
        round(*store);
        sign_.succeeded();
        is_away_ = false;
        rest(*watch);
        sleep_until_needed();
    }
}

void Live::rest(store::Watch& watch) {
    std::this_thread::sleep_for(shortest_rest);
    (void)watch.wait(open_log_streams().empty() ? Duration(longest_rest) : Duration(rest_beside_logs));
}

void Live::round(store::Store& store) {
    waiting_.look(store);
    tell_events(store);
    tell_logs(store);
    params_.chores(store, /*at_the_end=*/false);
    check_tokens();
}

http::ServerSentEvent Live::hello() const {
    return message_of("hello",
                      {{"now", format_timestamp(platform::real_clock().now())}, {"version", params_.version}});
}

/// A reader that resumes receives the lines that it missed before any new one. It joins after the other streams have
/// received the new lines, so that each line reaches it once.
void Live::tell_events(store::Store& store) {
    const auto streams = open_event_streams();
    if (streams.empty()) return;
    const bool all_are_new = std::ranges::none_of(streams, &EventStream::has_joined);
    if (all_are_new) reader_.begin_now(store);
    const auto fresh = reader_.read(store);
    if (!fresh.empty()) params_.changed();
    for (const auto& stream : streams)
        for (const auto& event : fresh)
            if (stream->has_joined()) stream->tell(event, reader_);
    bool has_newcomers = false;
    for (const auto& stream : streams) {
        if (stream->has_joined()) continue;
        stream->join(store, reader_, hello());
        has_newcomers = true;
    }
    const auto changed = changes_.look(store, params_.count, !fresh.empty() || has_newcomers);
    if (!changed) return;
    params_.changed();
    for (const auto& stream : streams) stream->push_latest(message_of("changed", *changed));
}

void Live::tell_logs(store::ClientStore& store) {
    for (const auto& stream : open_log_streams()) stream->read(store);
}

void Live::check_tokens() {
    if (Steady::now() - tokens_checked_ < tokens_checked_every) return;
    tokens_checked_ = Steady::now();
    const auto check = [&](MessageQueue& stream) {
        if (!params_.still_valid(stream.token_hash()))
            stream.end(goodbye("the token was revoked or has expired, or one is needed now"));
    };
    for (const auto& stream : open_event_streams()) check(*stream);
    for (const auto& stream : open_log_streams()) check(*stream);
}

}  // namespace holdfast::api
