#include "server/api/work_streams.h"

#include <algorithm>

#include "base/text.h"

namespace holdfast::api {

namespace {

/// A revoked token ends its streams within a second.
constexpr auto tokens_checked_every = std::chrono::milliseconds(400);
/// A stream never stays silent for longer: so a worker notices one that is dead or kept back by a proxy.
constexpr auto here_every = std::chrono::seconds(2);
constexpr auto pause_after_fault = std::chrono::seconds(1);
constexpr auto unbroken_view = std::chrono::seconds(3);

}  // namespace

/// Lets the destructor wake the watch while it exists.
class WorkStreams::Exposed {
public:
    Exposed(WorkStreams& owner, store::Topic topic, store::Watch* watch)
        : owner_(owner), place_(topic == store::Topic::Work ? 0 : 1) {
        set(watch);
    }
    ~Exposed() { set(nullptr); }
    Exposed(const Exposed&) = delete;
    Exposed& operator=(const Exposed&) = delete;

private:
    void set(store::Watch* watch) {
        const std::lock_guard lock(owner_.mutex_);
        owner_.watches_.at(place_) = watch;
    }
    WorkStreams& owner_;
    const std::size_t place_;
};

WorkStreams::WorkStreams(const ApiParts& parts, Access& access, Log& log)
    : parts_(parts),
      access_(access),
      log_(log),
      began_(std::chrono::steady_clock::now()),
      work_thread_([this] { run(store::Topic::Work); }),
      orders_thread_([this] { run(store::Topic::Orders); }) {}

WorkStreams::~WorkStreams() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        for (store::Watch* each : watches_)
            if (each != nullptr) each->wake();
    }
    woken_.notify_all();
    work_thread_.join();
    orders_thread_.join();
    end("the server stops");
}

std::shared_ptr<http::StreamSource> WorkStreams::open(const Uuid& worker, const Caller& caller) {
    auto stream = std::make_shared<WorkStream>(worker, caller);
    stream->push(message_of("hello", {{"version", parts_.version}}));
    streams_.add(stream);
    {
        const std::lock_guard lock(mutex_);  // a thread that is about to sleep sees the stream
    }
    woken_.notify_all();
    return stream;
}

void WorkStreams::end(const std::string& why) {
    has_said_goodbye_ = true;
    for (const auto& stream : streams_.all()) stream->end(goodbye(why));
}

void WorkStreams::tell(const http::ServerSentEvent& message) {
    for (const auto& stream : streams_.all()) stream->push(message);
}

/// Until the end of the last stream has been reported, too.
bool WorkStreams::is_needed(store::Topic topic) {
    return !streams_.all().empty() || (topic == store::Topic::Work && !present_.empty());
}

/// Returns false when it shall stop.
bool WorkStreams::sleep_until_needed(store::Topic topic) {
    std::unique_lock lock(mutex_);
    woken_.wait(lock, [&] { return stopping_ || is_needed(topic); });
    return !stopping_;
}

void WorkStreams::run(store::Topic topic) {
    while (sleep_until_needed(topic)) {
        try {
            watch(topic);
        } catch (const StoreError& failure) {
            if (topic == store::Topic::Work && !std::exchange(is_away_, true))
                log_.write({parts_.store_is_out() ? LogLevel::Debug : LogLevel::Warning,
                            concat("the workers behind this server are not woken: ", failure.what()),
                            {}});
            std::unique_lock lock(mutex_);
            woken_.wait_for(lock, pause_after_fault, [&] { return stopping_.load(); });
        }
    }
}

/// Whatever happened before the watch was made is told as news once.
void WorkStreams::watch(store::Topic topic) {
    const auto store = parts_.open_store();
    const auto watch = store->watch(topic);
    const Exposed exposed(*this, topic, watch.get());
    const auto message = message_of(topic == store::Topic::Work ? "work" : "orders", Json::object());
    for (bool has_news = true; !stopping_; has_news = watch->wait(tokens_checked_every)) {
        if (has_news) tell(message);
        if (topic == store::Topic::Work) round(*store);
        if (!is_needed(topic)) return;
    }
}

void WorkStreams::round(store::Store& store) {
    is_away_ = false;
    check_tokens(store);
    report_ended(store);
    const std::int64_t rank = store.rank();
    if (std::exchange(rank_, rank) != rank) tell(message_of("rank", {{"rank", rank}}));
    const auto now = std::chrono::steady_clock::now();
    if (now - here_said_ < here_every) return;
    here_said_ = now;
    tell(message_of("here", Json::object()));
}

/// A stream that ended during the first seconds proves little: the server has just begun, and its workers may still
/// be changing over. Nor does one that this server ended itself.
void WorkStreams::report_ended(store::Store& store) {
    std::set<Uuid> open;
    for (const auto& stream : streams_.all()) open.insert(stream->worker());
    std::vector<Uuid> ended;
    std::set_difference(present_.begin(), present_.end(), open.begin(), open.end(), std::back_inserter(ended));
    const bool counts = std::chrono::steady_clock::now() - began_ > unbroken_view && !has_said_goodbye_;
    if (counts && !ended.empty()) store.note_disconnected(ended);
    present_ = std::move(open);
}

/// Each credential is read once, however many streams it has.
void WorkStreams::check_tokens(store::Store& store) {
    std::map<Credential, bool> valid;
    for (const auto& stream : streams_.all()) {
        const auto [place, is_new] = valid.try_emplace(stream->credential());
        if (is_new) place->second = access_.still_valid(store, stream->credential());
        if (place->second) continue;
        present_.erase(stream->worker());
        stream->end(goodbye("the token was revoked or has expired, or one is needed now"));
    }
}

}  // namespace holdfast::api
