#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "holdfast/uuid.h"
#include "server/remote/work_servers.h"
#include "store/watch.h"

namespace holdfast::remote {

/// Wakes one who waits for a topic. Without a word from the server, every second for work and never for orders, as
/// the watches of a store do.
class WorkBell {
public:
    explicit WorkBell(store::Topic topic) : topic_(topic) {}
    bool wait(Duration at_most);
    void ring();

private:
    const store::Topic topic_;
    std::mutex mutex_;
    std::condition_variable rung_;
    bool has_rung_ = false;
};

/// Follows the event stream of a worker's server in a thread of its own, and rings the bells. It opens the stream
/// again when it ends, stays silent or the worker has changed over. One line in the log says when and why it does not
/// come through, and one when it does again.
class WorkStreamReader {
public:
    WorkStreamReader(std::shared_ptr<WorkServers> servers, const Uuid& worker, std::shared_ptr<WorkBell> work,
                     std::shared_ptr<WorkBell> orders);
    ~WorkStreamReader();
    WorkStreamReader(const WorkStreamReader&) = delete;
    WorkStreamReader& operator=(const WorkStreamReader&) = delete;

private:
    using Moment = std::chrono::steady_clock::time_point;

    void run();
    /// Returns why the stream has ended; empty: the worker uses another server now, or this object ends.
    [[nodiscard]] std::string follow(std::size_t server);
    [[nodiscard]] bool receive(const http::ServerSentEvent& event, std::size_t server);
    void say(const std::string& why, std::size_t server);
    void ring_both();
    void rest();

    const std::shared_ptr<WorkServers> servers_;
    const Uuid worker_;
    const std::shared_ptr<WorkBell> work_;
    const std::shared_ptr<WorkBell> orders_;
    Moment heard_at_ = {};
    bool comes_through_ = true;
    std::string goodbye_;
    std::atomic<bool> is_ending_ = false;
    std::mutex mutex_;
    std::condition_variable ended_;
    std::thread thread_;
};

}  // namespace holdfast::remote
