#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/log.h"
#include "server/api/change_watch.h"
#include "server/api/event_stream.h"
#include "server/api/log_stream.h"
#include "server/api/store_pool.h"
#include "server/api/vital_sign.h"
#include "server/api/waiting_list.h"
#include "server/http/message.h"
#include "store/store.h"

namespace holdfast::api {

struct LiveParams {
    OpenStore open = {};
    std::string version = {};
    std::function<bool(const std::string& hash)> still_valid = {};  ///< whether a stream's token is still valid
    /// Small writes that are done periodically, outside of any request; at the end, all that remain.
    std::function<bool(bool at_the_end)> has_chores = {};
    std::function<void(store::Store&, bool at_the_end)> chores = {};
    Duration patience = std::chrono::seconds(10);  ///< without a round for that long, sign() is bad
    /// Counts the tasks. Live calls it repeatedly while a client reads the event stream.
    std::function<store::TaskCounts(store::ClientStore&)> count = [](store::ClientStore& store) {
        return store.count();
    };
    std::function<void()> changed = [] {};  ///< called before the readers are notified of a change
};

/// The streams of events and logs, and the deferred answers to waiting clients. One thread reads the store for all of
/// them, when the store notifies it and once a second. It does so only while it has a client or a chore.
/// Thread-safe.
class Live {
public:
    /// `log` outlives the Live.
    Live(LiveParams params, Log& log);
    ~Live();
    Live(const Live&) = delete;
    Live& operator=(const Live&) = delete;

    /// Returns a stream of the lines of history that pass the filter, after the given number; unset: from now on.
    [[nodiscard]] std::shared_ptr<http::StreamSource> events(EventFilter filter, std::optional<std::int64_t> after,
                                                             std::string token_hash);
    /// Returns a stream of the output of a task's runs, after the given offset, until the task has ended.
    [[nodiscard]] std::shared_ptr<http::StreamSource> log_of(const Uuid& task, std::int64_t after,
                                                             std::string token_hash);
    /// Returns the answer of a wait route; it completes when the task or job has ended, or after the timeout. Throws
    /// OVERLOADED when too many clients wait.
    [[nodiscard]] http::Deferred wait_for(Waited waited, Duration timeout);

    void end_streams(const std::string& why);
    /// Whether the thread makes its rounds, and can read the store when a client needs it.
    [[nodiscard]] const VitalSign& sign() const { return sign_; }

private:
    using Moment = std::chrono::steady_clock::time_point;

    void run();
    void watch_store();
    [[nodiscard]] bool is_needed();
    void sleep_until_needed();
    void do_last_chores();
    void rest(store::Watch& watch);
    void round(store::Store& store);
    void tell_events(store::Store& store);
    [[nodiscard]] http::ServerSentEvent hello() const;
    void tell_logs(store::ClientStore& store);
    void check_tokens();
    [[nodiscard]] std::vector<std::shared_ptr<EventStream>> open_event_streams();
    [[nodiscard]] std::vector<std::shared_ptr<LogStream>> open_log_streams();
    void ring();

    const LiveParams params_;
    Log& log_;
    WaitingList waiting_;
    HistoryReader reader_;
    ChangeWatch changes_;
    VitalSign sign_;

    std::mutex mutex_;
    std::condition_variable woken_;
    std::vector<std::weak_ptr<EventStream>> event_streams_;  // guarded by mutex_
    std::vector<std::weak_ptr<LogStream>> log_streams_;      // guarded by mutex_
    store::Watch* watch_ = nullptr;                          // guarded by mutex_: the thread waits on it
    std::atomic<bool> stopping_ = false;
    bool is_away_ = false;
    Moment tokens_checked_ = {};
    std::thread thread_;
};

}  // namespace holdfast::api
