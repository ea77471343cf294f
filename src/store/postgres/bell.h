#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "store/postgres/connection.h"
#include "store/store.h"

namespace holdfast::postgres {

/// The topics that have news.
struct Rings {
    bool work = false;
    bool done = false;
    bool orders = false;

    [[nodiscard]] bool any() const { return work || done || orders; }
    [[nodiscard]] bool of(store::Topic topic) const;
    void add(const Rings& others);
};

/// Wake-ups between processes: LISTEN and NOTIFY on a connection of their own, served by one thread, off the path of
/// every transaction. The first ring goes out at once; those that follow within a few milliseconds go out together.
/// Without `listens`, and behind a pooler, rings only go out, and waiters live on the safety poll. A server that does
/// not answer is noticed within seconds, and the connection follows the primary to another host.
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
    std::vector<Rows> run(const std::vector<Command>& commands);
    void ask_whether_it_lives();
    bool send_rings();
    void hear();
    void sleep_until_something_happens(bool is_connected);
    void wake_watchers(const Rings& rings);

    Connection connection_;
    bool listens_;
    Duration safety_poll_;
    int wake_fd_;
    std::chrono::steady_clock::time_point last_answer_;
    std::shared_ptr<Shared> shared_;
    std::thread thread_;
};

}  // namespace holdfast::postgres
