#include "store/postgres/bell.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "base/assert.h"
#include "base/text.h"

namespace holdfast::postgres {

namespace {

using namespace std::chrono_literals;

/// A message costs its sender a transaction and wakes every listener of the database. So many in a row are worth
/// their price for the latency of a single task; a stream of them is not.
constexpr Duration gap_between_messages = 3ms;
constexpr int messages_at_once = 8;
constexpr Duration reconnect_pause = 500ms;
constexpr Duration longest_sleep = 1s;
constexpr auto longest_silence = 2s;

/// A topic, its channel, and the place of its ring.
struct Channel {
    std::string_view name;
    Sql listen;
    Sql notify;
    bool Rings::*ring;
};
constexpr Channel channels[] = {
    {"holdfast_work", "LISTEN holdfast_work", "NOTIFY holdfast_work", &Rings::work},
    {"holdfast_done", "LISTEN holdfast_done", "NOTIFY holdfast_done", &Rings::done},
    {"holdfast_orders", "LISTEN holdfast_orders", "NOTIFY holdfast_orders", &Rings::orders},
};

Duration monotonic_now() {
    return std::chrono::floor<Duration>(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace

Rings Rings::about(store::Topic topic) {
    switch (topic) {
        case store::Topic::Work:
            return {.work = true};
        case store::Topic::Done:
            return {.done = true};
        case store::Topic::Orders:
            return {.orders = true};
    }
    HOLDFAST_ASSERT(false);
}

bool Rings::of(store::Topic topic) const {
    const Rings asked = about(topic);
    return (work && asked.work) || (done && asked.done) || (orders && asked.orders);
}

void Rings::add(const Rings& others) {
    work |= others.work;
    done |= others.done;
    orders |= others.orders;
}

/// Shared by the thread, the callers of ring() and the watchers; watchers may outlive the bell.
struct Bell::Shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<Watcher*> watchers;
    Rings rings;               // not sent yet
    Rings wanted;              // topics that had a watch: only these are worth a wake-up from the server
    Rings heard;               // topics that the connection listens to
    bool cannot_hear = false;  // the server is unreachable, or behind a pooler
    bool stopping = false;
};

class Bell::Watcher final : public store::Watch {
public:
    Watcher(std::shared_ptr<Shared> shared, store::Topic topic, Duration safety_poll)
        : shared_(std::move(shared)), topic_(topic), safety_poll_(safety_poll) {
        const std::lock_guard lock(shared_->mutex);
        shared_->watchers.push_back(this);
    }
    ~Watcher() override {
        const std::lock_guard lock(shared_->mutex);
        std::erase(shared_->watchers, this);
    }
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;

    bool wait(Duration at_most) override {
        std::unique_lock lock(shared_->mutex);
        const auto until = std::min(std::chrono::steady_clock::now() + at_most, last_news_ + safety_poll_);
        news_.wait_until(lock, until, [this] { return has_news_; });
        const auto now = std::chrono::steady_clock::now();
        // A notification may have been lost: after the safety poll the waiter looks anyway.
        const bool is_news = std::exchange(has_news_, false) || now >= last_news_ + safety_poll_;
        if (is_news) last_news_ = now;
        return is_news;
    }
    void wake() override {
        const std::lock_guard lock(shared_->mutex);
        notice();
    }

    /// Under the shared mutex.
    void notice() {
        has_news_ = true;
        news_.notify_one();
    }
    [[nodiscard]] store::Topic topic() const { return topic_; }

private:
    std::shared_ptr<Shared> shared_;
    store::Topic topic_;
    const Duration safety_poll_;
    std::condition_variable news_;
    bool has_news_ = false;
    std::chrono::steady_clock::time_point last_news_ = std::chrono::steady_clock::now();
};

Bell::Bell(ConnectParams params, bool listens, Duration safety_poll)
    : connection_(std::move(params)),
      listens_(listens),
      safety_poll_(safety_poll),
      wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      pace_(gap_between_messages, messages_at_once),
      shared_(std::make_shared<Shared>()) {}

Bell::~Bell() {
    {
        const std::lock_guard lock(shared_->mutex);
        shared_->stopping = true;
    }
    eventfd_write(wake_fd_, 1);
    if (thread_.joinable()) thread_.join();
    ::close(wake_fd_);
}

void Bell::start() {
    if (!thread_.joinable()) thread_ = std::thread([this] { serve(); });
}

void Bell::ring(const Rings& rings) {
    if (!rings.any()) return;
    {
        const std::lock_guard lock(shared_->mutex);
        wake_watchers(rings);
        const bool is_awake = shared_->rings.any();  // the thread will look at what waits for it already
        shared_->rings.add(rings);
        start();
        if (is_awake) return;
    }
    eventfd_write(wake_fd_, 1);
}

std::unique_ptr<store::Watch> Bell::watch(store::Topic topic) {
    auto watcher = std::make_unique<Watcher>(shared_, topic, store::safety_poll_of(topic, safety_poll_));
    if (!listens_) return watcher;
    std::unique_lock lock(shared_->mutex);
    shared_->wanted.add(Rings::about(topic));
    start();
    eventfd_write(wake_fd_, 1);
    // Nothing that is committed from here on may be missed. While the server is unreachable, the safety poll has to
    // do.
    shared_->changed.wait_for(lock, 5s, [&] { return shared_->heard.of(topic) || shared_->cannot_hear; });
    return watcher;
}

void Bell::wake_watchers(const Rings& rings) {
    for (auto* watcher : shared_->watchers)
        if (rings.of(watcher->topic())) watcher->notice();
}

void Bell::serve() {
    for (;;) {
        try {
            listen();
            ask_whether_it_lives();
            send_rings();
            hear();  // last: nothing that has come with an answer may stay unheard during the sleep
        } catch (
            const std::exception&) {  // the server is unreachable: waiters live on the safety poll until it is back
            connection_.close();
            const std::lock_guard lock(shared_->mutex);
            shared_->heard = {};
            shared_->cannot_hear = true;
            shared_->changed.notify_all();
        }
        {
            const std::lock_guard lock(shared_->mutex);
            if (shared_->stopping && !shared_->rings.any()) return;
            if (shared_->stopping && !connection_.is_open()) return;
        }
        sleep_until_something_happens();
    }
}

void Bell::listen() {
    const int before = connection_.generation();
    connection_.ensure_open();
    if (connection_.generation() != before) greet();
    if (!listens_ || connection_.is_pooled()) return;
    Rings missing;
    std::vector<Command> commands;
    {
        const std::lock_guard lock(shared_->mutex);
        for (const Channel& channel : channels) {
            missing.*channel.ring = shared_->wanted.*channel.ring && !(shared_->heard.*channel.ring);
            if (missing.*channel.ring) commands.push_back({channel.listen, {}});
        }
    }
    if (commands.empty()) return;
    run(commands);
    const std::lock_guard lock(shared_->mutex);
    shared_->heard.add(missing);
    shared_->changed.notify_all();
    wake_watchers(missing);  // for what was rung before this listened
}

/// A new connection hears nothing yet.
void Bell::greet() {
    // A message is worth nothing after a crash: it waits neither for the disk nor for a standby.
    if (!connection_.is_pooled()) run({{"SELECT set_config('synchronous_commit', 'off', false)", {}}});
    const std::lock_guard lock(shared_->mutex);
    shared_->heard = {};
    shared_->cannot_hear = connection_.is_pooled();
    shared_->changed.notify_all();
}

std::vector<Rows> Bell::run(const std::vector<Command>& commands) {
    connection_.begin_call();
    auto answers = connection_.run(commands);
    last_answer_ = std::chrono::steady_clock::now();
    return answers;
}

bool Bell::hears_something() {
    const std::lock_guard lock(shared_->mutex);
    return shared_->heard.any();
}

/// A server that hangs keeps its connections open, and a listener that hears nothing would wait for ever.
void Bell::ask_whether_it_lives() {
    if (!hears_something()) return;
    if (std::chrono::steady_clock::now() - last_answer_ >= longest_silence) run({{"SELECT", {}}});
}

std::optional<Duration> Bell::rings_wait() {
    const std::lock_guard lock(shared_->mutex);
    if (!shared_->rings.any()) return std::nullopt;
    return pace_.wait(monotonic_now());
}

/// Sends the rings since the last call, if it is time.
void Bell::send_rings() {
    if (rings_wait() != Duration::zero()) return;
    Rings unsent;
    {
        const std::lock_guard lock(shared_->mutex);
        unsent = std::exchange(shared_->rings, {});
    }
    std::vector<Command> commands;
    for (const Channel& channel : channels)
        if (unsent.*channel.ring) commands.push_back({channel.notify, {}});
    try {
        run(commands);
    } catch (const Refusal&) {
        throw;  // it would be refused again: the waiters' safety poll has to do
    } catch (...) {
        const std::lock_guard lock(shared_->mutex);
        shared_->rings.add(unsent);
        throw;
    }
    pace_.sent(monotonic_now());
}

void Bell::hear() {
    // A broken connection has no socket: nothing would ever wake this thread again.
    if (PQconsumeInput(connection_.handle()) == 0 || PQstatus(connection_.handle()) != CONNECTION_OK)
        throw store::Unavailable("the connection that listens was closed by the server");
    Rings rings;
    using Notification = std::unique_ptr<PGnotify, decltype(&PQfreemem)>;
    while (const auto heard = Notification(PQnotifies(connection_.handle()), &PQfreemem)) {
        if (heard->be_pid == PQbackendPID(connection_.handle())) continue;  // our own: the watchers here know already
        for (const Channel& channel : channels)
            if (channel.name == heard->relname) rings.*channel.ring = true;
    }
    const std::lock_guard lock(shared_->mutex);
    wake_watchers(rings);
}

void Bell::sleep_until_something_happens() {
    const bool is_open = connection_.is_open();
    std::array<pollfd, 2> sources{pollfd{wake_fd_, POLLIN, 0},
                                  pollfd{is_open ? PQsocket(connection_.handle()) : -1, POLLIN, 0}};
    const Duration sleep = is_open ? rings_wait().value_or(longest_sleep) : reconnect_pause;
    const timespec limit{.tv_sec = sleep / 1s, .tv_nsec = std::chrono::nanoseconds(sleep % 1s).count()};
    ppoll(sources.data(), sources.size(), &limit, nullptr);
    eventfd_t ignored = 0;
    eventfd_read(wake_fd_, &ignored);
}

}  // namespace holdfast::postgres
