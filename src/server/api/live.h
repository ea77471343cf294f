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
    std::function<bool(const std::string& hash)> still_valid = {};  ///< may a stream's token still be used?
    /// Small things to be written every now and then, outside of any request; at the end, all that is left of them.
    std::function<bool(bool at_the_end)> has_chores = {};
    std::function<void(store::Store&, bool at_the_end)> chores = {};
    Duration patience = std::chrono::seconds(10);  ///< after that long without a turn, its sign is bad
    /// How it counts what there is, again and again while somebody listens.
    std::function<store::TaskCounts(store::ClientStore&)> count = [](store::ClientStore& store) {
        return store.count();
    };
    std::function<void()> changed = [] {};  ///< called before readers are told of it
};

/// What the server tells without being asked again: streams of events and logs, and answers to those who wait. One
/// thread looks at the store for all of them, when it rings and once a second; it sleeps while there is nobody.
/// Thread-safe.
class Live {
public:
    /// `log` outlives it.
    Live(LiveParams params, Log& log);
    ~Live();
    Live(const Live&) = delete;
    Live& operator=(const Live&) = delete;

    /// Lines of history that pass the filter, from after the given number; without one, from now on.
    [[nodiscard]] std::shared_ptr<http::StreamSource> events(EventFilter filter, std::optional<std::int64_t> after,
                                                             std::string token_hash);
    /// What the runs of a task print, from after that offset, until it has ended.
    [[nodiscard]] std::shared_ptr<http::StreamSource> log_of(const Uuid& task, std::int64_t after,
                                                             std::string token_hash);
    /// The answer of a wait route, once the task or job has ended or the time is up. Throws OVERLOADED.
    [[nodiscard]] http::Deferred wait_for(Waited waited, Duration timeout);

    void end_streams(const std::string& why);
    /// Whether the thread turns, and can read the store when somebody needs that.
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
    store::Watch* watch_ = nullptr;                          // guarded by mutex_: what the thread waits on
    std::atomic<bool> stopping_ = false;
    bool is_away_ = false;
    Moment tokens_checked_ = {};
    std::thread thread_;
};

}  // namespace holdfast::api
