#include "server/api/live.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "platform/real_clock.h"
#include "server/api/queue_view.h"
#include "views/task.h"

namespace holdfast::api {

namespace {

using Steady = std::chrono::steady_clock;

/// The shortest pause between two rounds, however often the store notifies.
constexpr auto shortest_rest = std::chrono::milliseconds(50);
constexpr auto longest_rest = std::chrono::seconds(1);
/// A revoked token or session ends its streams within a second: this, and one read of the store.
constexpr auto tokens_checked_every = std::chrono::milliseconds(400);
constexpr auto rest_beside_streams = tokens_checked_every;

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

// ---- Changes without a line of history -----------------------------------------------------------

bool ChangeWatch::workers_changed(store::ClientStore& store) {
    constexpr auto interval = std::chrono::seconds(2);
    if (Steady::now() < next_look_at_workers_) return false;
    next_look_at_workers_ = Steady::now() + interval;
    Json workers = Json::array();
    for (const auto& worker : store.workers())
        workers.push_back({worker.registration.id.to_string(), word_of(worker.status), worker.cordoned,
                           worker.drain_requested, worker.held.size(),
                           worker.seconds_ago > 3 * worker.registration.beat_interval});
    return std::exchange(workers_, workers) != workers;
}

/// A slow store is read less often: reading takes at most a tenth of the time.
std::optional<Json> ChangeWatch::look(store::Store& store, RecentCounts& recent, const store::Queues& queues,
                                      bool has_news) {
    constexpr Steady::duration interval = std::chrono::milliseconds(250);
    has_news_ = has_news_ || has_news;
    const auto began = Steady::now();
    if (began < next_look_) return std::nullopt;
    Json counts = views::to_json_shape(recent.renewed_tasks(store, queues));
    const bool tasks = std::exchange(counts_, counts) != counts;
    const bool workers = workers_changed(store);
    next_look_ = began + std::max(interval, 10 * (Steady::now() - began));
    const bool news = std::exchange(has_news_, false);
    if (!tasks && !workers && !news) return std::nullopt;
    return Json{{"tasks", tasks || news}, {"jobs", tasks || news}, {"workers", workers || news}, {"counts", counts}};
}

// ---- The streams ---------------------------------------------------------------------------------

Live::Live(const ApiParts& parts, Access& access, RecentCounts& counts, Log& log)
    : parts_(parts), access_(access), counts_(counts), log_(log), sign_(parts.live_patience) {
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
                                                 const Caller& caller) {
    auto stream = std::make_shared<EventStream>(std::move(filter), after, caller);
    event_streams_.add(stream);
    ring();
    return stream;
}

std::shared_ptr<http::StreamSource> Live::log_of(const Uuid& task, std::int64_t after, const Caller& caller) {
    auto stream = std::make_shared<LogStream>(task, after, caller);
    log_streams_.add(stream);
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
    for (const auto& stream : event_streams_.all()) stream->end(goodbye(why));
    for (const auto& stream : log_streams_.all()) stream->end(goodbye(why));
    waiting_.give_up_all(why);
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
                log_.write({parts_.store_is_out() ? LogLevel::Debug : LogLevel::Warning,
                            concat("the live streams cannot read the store: ", failure.what()),
                            {}});
            is_away_ = true;
            sign_.failed(failure.what());
            waiting_.give_up_overdue();
            std::unique_lock lock(mutex_);
            woken_.wait_for(lock, longest_rest, [&] { return stopping_.load(); });
        }
    }
    write_last_uses();
}

void Live::write_last_uses() {
    if (!access_.has_uses_to_write(Access::Uses::All)) return;
    try {
        access_.write_uses(*parts_.open_store(), Access::Uses::All);
    } catch (const StoreError& failure) {
        log_.write({LogLevel::Warning, concat("the last uses of tokens are not noted: ", failure.what()), {}});
    }
}

bool Live::is_needed() {
    return access_.has_uses_to_write(Access::Uses::Due) || !waiting_.is_empty() || !event_streams_.all().empty() ||
           !log_streams_.all().empty();
}

void Live::sleep_until_needed() {
    std::unique_lock lock(mutex_);
    while (!stopping_ && !is_needed()) {
        sign_.succeeded();
        woken_.wait_for(lock, longest_rest);
    }
}

void Live::watch_store() {
    const auto store = parts_.open_store();
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
    const bool has_streams = !event_streams_.all().empty() || !log_streams_.all().empty();
    (void)watch.wait(has_streams ? Duration(rest_beside_streams) : Duration(longest_rest));
}

void Live::round(store::Store& store) {
    waiting_.look(store);
    tell_events(store);
    for (const auto& stream : log_streams_.all()) stream->read(store);
    access_.write_uses(store, Access::Uses::Due);
    check_tokens(store);
}

http::ServerSentEvent Live::hello() const {
    return message_of("hello",
                      {{"now", format_timestamp(platform::real_clock().now())}, {"version", parts_.version}});
}

void Live::tell_events(store::Store& store) {
    const auto streams = event_streams_.all();
    if (streams.empty()) return;
    const bool all_are_new = std::ranges::none_of(streams, &EventStream::has_joined);
    if (all_are_new) reader_.begin_now(store);
    const auto fresh = reader_.read(store);
    if (!fresh.empty()) counts_.changed();
    std::map<store::Queues, Readers> readers;
    for (const auto& stream : streams) readers[stream->queues()].push_back(stream);
    std::erase_if(changes_, [&](const auto& change) { return !readers.contains(change.first); });
    for (const auto& [queues, group] : readers) {
        if (queues.empty()) {
            tell_readers(store, queues, group, fresh);
        } else {
            QueueView view(store, queues);
            tell_readers(view, queues, group, view.seen_of(fresh));
        }
    }
}

/// A reader that resumes receives the lines that it missed before any new one. It joins after the other streams have
/// received the new lines, so that each line reaches it once.
void Live::tell_readers(store::Store& store, const store::Queues& queues, const Readers& readers,
                        const std::vector<store::EventRecord>& fresh) {
    for (const auto& stream : readers)
        for (const auto& event : fresh)
            if (stream->has_joined()) stream->tell(event, reader_);
    bool has_newcomers = false;
    for (const auto& stream : readers) {
        if (stream->has_joined()) continue;
        stream->join(store, reader_, hello());
        has_newcomers = true;
    }
    const auto changed = changes_[queues].look(store, counts_, queues, !fresh.empty() || has_newcomers);
    if (!changed) return;
    counts_.changed();
    for (const auto& stream : readers) stream->push_latest(message_of("changed", *changed));
}

/// Each credential is read once, however many streams it has.
void Live::check_tokens(store::Store& store) {
    if (Steady::now() - tokens_checked_ < tokens_checked_every) return;
    tokens_checked_ = Steady::now();
    std::map<Credential, bool> valid;
    const auto check = [&](MessageQueue& stream) {
        const auto [place, is_new] = valid.try_emplace(stream.credential());
        if (is_new) place->second = access_.still_valid(store, stream.credential());
        if (!place->second)
            stream.end(goodbye("the token or session was revoked or has expired, or one is needed now"));
    };
    for (const auto& stream : event_streams_.all()) check(*stream);
    for (const auto& stream : log_streams_.all()) check(*stream);
}

}  // namespace holdfast::api
