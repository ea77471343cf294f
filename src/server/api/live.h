#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/log.h"
#include "server/api/api.h"
#include "server/api/recent.h"
#include "server/api/streams.h"
#include "server/api/waiting_list.h"

namespace holdfast::api {

/// Detects changes that leave no line of history: the normal life of tasks, and workers. Not thread-safe.
class ChangeWatch {
public:
    /// Returns the message for the readers, at most four times a second; nullopt: nothing has changed, or it is too
    /// early. `store` shows `queues`. `has_news`: the caller has news, so that a message is due even without a change
    /// here.
    [[nodiscard]] std::optional<Json> look(store::Store& store, RecentCounts& counts, const store::Queues& queues,
                                           bool has_news);

private:
    using Moment = std::chrono::steady_clock::time_point;
    [[nodiscard]] bool workers_changed(store::ClientStore& store);

    Moment next_look_ = {};
    Moment next_look_at_workers_ = {};
    Json counts_;
    Json workers_;
    bool has_news_ = false;
};

/// The streams of events and logs, and the deferred answers to waiting clients. One thread reads the store for all of
/// them, when the store notifies it and once a second. It does so only while it has a client or a chore.
/// Thread-safe.
class Live {
public:
    /// All arguments outlive the Live. It renews `counts` and marks them as changed, and writes the uses of tokens.
    Live(const ApiParts& parts, Access& access, RecentCounts& counts, Log& log);
    ~Live();
    Live(const Live&) = delete;
    Live& operator=(const Live&) = delete;

    /// Returns a stream of the lines of history that pass the filter, after the given number; unset: from now on.
    [[nodiscard]] std::shared_ptr<http::StreamSource> events(EventFilter filter, std::optional<std::int64_t> after,
                                                             const Caller& caller);
    /// Returns a stream of the output of a task's runs, after the given offset, until the task has ended.
    [[nodiscard]] std::shared_ptr<http::StreamSource> log_of(const Uuid& task, std::int64_t after,
                                                             const Caller& caller);
    /// Returns the answer of a wait route; it completes when the task or job has ended, or after the timeout. Throws
    /// OVERLOADED when too many clients wait.
    [[nodiscard]] http::Deferred wait_for(Waited waited, Duration timeout);

    void end_streams(const std::string& why);
    /// Whether the thread makes its rounds, and can read the store when a client needs it.
    [[nodiscard]] const VitalSign& sign() const { return sign_; }

private:
    using Moment = std::chrono::steady_clock::time_point;
    using Readers = std::vector<std::shared_ptr<EventStream>>;

    void run();
    void watch_store();
    [[nodiscard]] bool is_needed();
    void sleep_until_needed();
    void write_last_uses();
    void rest(store::Watch& watch);
    void round(store::Store& store);
    void tell_events(store::Store& store);
    void tell_readers(store::Store& store, const store::Queues& queues, const Readers& readers,
                      const std::vector<store::EventRecord>& fresh);
    [[nodiscard]] http::ServerSentEvent hello() const;
    void check_tokens(store::Store& store);
    void ring();

    const ApiParts& parts_;
    Access& access_;
    RecentCounts& counts_;
    Log& log_;
    WaitingList waiting_;
    OpenStreams<EventStream> event_streams_;
    OpenStreams<LogStream> log_streams_;
    HistoryReader reader_;
    std::map<store::Queues, ChangeWatch> changes_;  // by what the readers may see
    VitalSign sign_;

    std::mutex mutex_;
    std::condition_variable woken_;
    store::Watch* watch_ = nullptr;  // guarded by mutex_: the thread waits on it
    std::atomic<bool> stopping_ = false;
    bool is_away_ = false;
    Moment tokens_checked_ = {};
    std::thread thread_;
};

}  // namespace holdfast::api
