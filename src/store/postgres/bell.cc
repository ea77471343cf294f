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

constexpr auto grouping = 5ms;
constexpr auto reconnect_pause = 500ms;
constexpr auto longest_sleep = 1s;
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

}  // namespace

bool Rings::of(store::Topic topic) const {
    switch (topic) {
        case store::Topic::Work:
            return work;
        case store::Topic::Done:
            return done;
        case store::Topic::Orders:
            return orders;
    }
    HOLDFAST_ASSERT(false);
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
    Rings rings;  // not sent yet
    bool is_listening = false;
    bool failed_to_listen = false;
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
        shared_->rings.add(rings);
        start();
    }
    eventfd_write(wake_fd_, 1);
}

std::unique_ptr<store::Watch> Bell::watch(store::Topic topic) {
    auto watcher = std::make_unique<Watcher>(shared_, topic, store::safety_poll_of(topic, safety_poll_));
    if (!listens_) return watcher;
    std::unique_lock lock(shared_->mutex);
    start();
    // Nothing that is committed from here on may be missed. While the server is unreachable, the safety poll has to
    // do.
    shared_->changed.wait_for(lock, 5s, [this] { return shared_->is_listening || shared_->failed_to_listen; });
    return watcher;
}

void Bell::wake_watchers(const Rings& rings) {
    for (auto* watcher : shared_->watchers)
        if (rings.of(watcher->topic())) watcher->notice();
}

void Bell::serve() {
    for (;;) {
        bool is_connected = false;
        try {
            listen();
            ask_whether_it_lives();
            hear();
            is_connected = !send_rings();
        } catch (
            const std::exception&) {  // the server is unreachable: waiters live on the safety poll until it is back
            connection_.close();
            const std::lock_guard lock(shared_->mutex);
            shared_->is_listening = false;
            shared_->failed_to_listen = true;
            shared_->changed.notify_all();
        }
        {
            const std::lock_guard lock(shared_->mutex);
            if (shared_->stopping && !shared_->rings.any()) return;
            if (shared_->stopping && !connection_.is_open()) return;
        }
        sleep_until_something_happens(connection_.is_open() && is_connected);
    }
}

void Bell::listen() {
    const int before = connection_.generation();
    connection_.ensure_open();
    if (!listens_ || connection_.generation() == before) return;
    const bool can_listen = !connection_.is_pooled();
    std::vector<Command> listening;
    for (const Channel& channel : channels) listening.push_back({channel.listen, {}});
    if (can_listen) run(listening);
    const std::lock_guard lock(shared_->mutex);
    shared_->is_listening = can_listen;
    shared_->failed_to_listen = !can_listen;
    shared_->changed.notify_all();
    wake_watchers({.work = true, .done = true, .orders = true});  // for what was rung before this listened
}

std::vector<Rows> Bell::run(const std::vector<Command>& commands) {
    connection_.begin_call();
    auto answers = connection_.run(commands);
    last_answer_ = std::chrono::steady_clock::now();
    return answers;
}

/// A server that hangs keeps its connections open, and a listener that hears nothing would wait for ever.
void Bell::ask_whether_it_lives() {
    if (!listens_ || connection_.is_pooled()) return;
    if (std::chrono::steady_clock::now() - last_answer_ >= longest_silence) run({{"SELECT", {}}});
}

/// Sends the rings since the last call; true: there were some, and more may follow within moments.
bool Bell::send_rings() {
    std::vector<Command> rings;
    {
        const std::lock_guard lock(shared_->mutex);
        const Rings unsent = std::exchange(shared_->rings, {});
        for (const Channel& channel : channels)
            if (unsent.*channel.ring) rings.push_back({channel.notify, {}});
    }
    if (rings.empty()) return false;
    run(rings);
    std::this_thread::sleep_for(grouping);
    return true;
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

void Bell::sleep_until_something_happens(bool is_connected) {
    std::array<pollfd, 2> sources{pollfd{wake_fd_, POLLIN, 0},
                                  pollfd{is_connected ? PQsocket(connection_.handle()) : -1, POLLIN, 0}};
    const bool must_retry = !connection_.is_open();
    const auto rings_wait = [this] {
        const std::lock_guard lock(shared_->mutex);
        return shared_->rings.any();
    };
    int timeout = static_cast<int>(longest_sleep / 1ms);
    if (must_retry)
        timeout = static_cast<int>(reconnect_pause.count());
    else if (!is_connected || rings_wait())
        timeout = 0;
    poll(sources.data(), sources.size(), timeout);
    eventfd_t ignored = 0;
    eventfd_read(wake_fd_, &ignored);
}

}  // namespace holdfast::postgres
