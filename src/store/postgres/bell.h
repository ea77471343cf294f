#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/ring_pace.h"
#include "store/postgres/connection.h"
#include "store/store.h"

namespace holdfast::postgres {

/// The topics that have news.
struct Rings {
    bool work = false;
    bool done = false;
    bool orders = false;

    [[nodiscard]] static Rings about(store::Topic topic);
    [[nodiscard]] bool any() const { return work || done || orders; }
    [[nodiscard]] bool of(store::Topic topic) const;
    void add(const Rings& others);
};

/// Wake-ups between processes: LISTEN and NOTIFY on a connection of their own, served by one thread, off the path of
/// every transaction. A ring goes out at once, unless rings have been frequent for a while: then those of a few
/// milliseconds go out together (core/ring_pace.h). The thread hears others meanwhile. The connection listens only to
/// topics that have had a watch: every message wakes every listener of the database. Without `listens`, and behind a
/// pooler, rings only go out, and waiters live on the safety poll. A server that does not answer is noticed within
/// seconds, and the connection follows the primary to another host.
class Bell {
public:
    /// `safety_poll`: see OpenParams.
    Bell(ConnectParams params, bool listens, Duration safety_poll);
    ~Bell();
    Bell(const Bell&) = delete;
    Bell& operator=(const Bell&) = delete;

    /// Tells waiters here and elsewhere. Never blocks, never throws; to be called after the commit.
    void ring(const Rings& rings);
    [[nodiscard]] std::unique_ptr<store::Watch> watch(store::Topic topic);

private:
    class Watcher;
    struct Shared;

    void start();
    void serve();
    void listen();
    void greet();
    [[nodiscard]] bool hears_something();
    std::vector<Rows> run(const std::vector<Command>& commands);
    void ask_whether_it_lives();
    void send_rings();
    void hear();
    /// How long the rings that are not sent yet have to wait; nullopt: there are none.
    [[nodiscard]] std::optional<Duration> rings_wait();
    void sleep_until_something_happens();
    void wake_watchers(const Rings& rings);

    Connection connection_;
    bool listens_;
    Duration safety_poll_;
    int wake_fd_;
    std::chrono::steady_clock::time_point last_answer_;
    core::RingPace pace_;
    std::shared_ptr<Shared> shared_;
    std::thread thread_;
};

}  // namespace holdfast::postgres
