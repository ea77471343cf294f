#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "base/log.h"
#include "server/api/api.h"
#include "server/api/streams.h"

namespace holdfast::api {

/// The event stream of one worker behind this server.
class WorkStream final : public MessageQueue {
public:
    WorkStream(const Uuid& worker, const Caller& caller)
        : MessageQueue(most_messages, caller.credential), worker_(worker) {}
    [[nodiscard]] const Uuid& worker() const { return worker_; }

private:
    const Uuid worker_;
    static constexpr std::size_t most_messages = 100;
};

/// Tells the workers behind this server that there is work, or an order, or another history of the store, and tells
/// the store whose stream has ended. Two threads wait for the store, and only while a stream is open. Thread-safe.
class WorkStreams {
public:
    /// All arguments outlive it.
    WorkStreams(const ApiParts& parts, Access& access, Log& log);
    ~WorkStreams();
    WorkStreams(const WorkStreams&) = delete;
    WorkStreams& operator=(const WorkStreams&) = delete;

    /// Returns a stream that begins with `hello`.
    [[nodiscard]] std::shared_ptr<http::StreamSource> open(const Uuid& worker, const Caller& caller);
    void end(const std::string& why);

private:
    using Moment = std::chrono::steady_clock::time_point;

    void run(store::Topic topic);
    void watch(store::Topic topic);
    [[nodiscard]] bool is_needed(store::Topic topic);
    [[nodiscard]] bool sleep_until_needed(store::Topic topic);
    void round(store::Store& store);
    void tell(const http::ServerSentEvent& message);
    void check_tokens(store::Store& store);
    void report_ended(store::Store& store);
    class Exposed;

    const ApiParts& parts_;
    Access& access_;
    Log& log_;
    OpenStreams<WorkStream> streams_;
    std::int64_t rank_ = 0;        // of the thread that waits for work
    Moment here_said_ = {};        // of the same
    bool is_away_ = false;         // of the same
    std::set<Uuid> present_ = {};  // of the same: the workers whose streams were open at the last look
    const Moment began_;
    std::atomic<bool> has_said_goodbye_ = false;

    std::mutex mutex_;
    std::condition_variable woken_;
    std::array<store::Watch*, 2> watches_ = {};  // guarded by mutex_: the threads wait on them
    std::atomic<bool> stopping_ = false;
    std::thread work_thread_;
    std::thread orders_thread_;
};

}  // namespace holdfast::api
