#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "engine/backoff.h"
#include "engine/worker/beater.h"
#include "engine/worker/begun_leases.h"
#include "engine/worker/claimer.h"
#include "engine/worker/delivered.h"
#include "engine/worker/gatherer.h"
#include "engine/worker/outage.h"
#include "engine/worker/run_book.h"
#include "engine/worker/stopper.h"
#include "engine/worker/worker_commands.h"
#include "engine/worker/worker_settings.h"

namespace holdfast::engine {

/// One of the worker's connections to the store. A failed call is tried again after a growing wait.
struct LaneState {
    explicit LaneState(Random& random) : backoff(random) {}

    bool busy = false;     ///< a call is under way
    Duration called_at{};  ///< ... since then
    Duration retry_at{};   ///< no call before this time
    Backoff backoff;

    [[nodiscard]] bool is_free(Duration now) const { return !busy && now >= retry_at; }
    void called(Duration now) {
        busy = true;
        called_at = now;
    }
    void answered() {
        busy = false;
        backoff.reset();
    }
    /// Returns how long the lane waits before its next call, at most `longest`.
    Duration failed(Duration longest, Duration now) {
        const Duration wait = backoff.next(longest);
        busy = false;
        retry_at = now + wait;
        return wait;
    }
};

/// A worker as a pure state machine: events in, commands out. It holds leases, gives them to runners, reports their
/// outcomes to the store, beats, drains, and fences itself. The caller performs the commands and returns their
/// outcomes as events. `now` is a monotonic time.
///
/// decide() derives the commands from the current state alone. A store call that failed changes nothing, so it is
/// decided upon again.
class Worker {
public:
    Worker(WorkerSettings settings, Random& random);

    // ---- Events
    /// Something may have become claimable, or falls due.
    void work_arrived() { claimer_.work_arrived(); }
    /// The store may have orders for this worker, such as to stop a run or to drain. It beats at once: the answer to
    /// a beat contains them.
    void orders_arrived(Duration now) { beater_.beat_for_orders(now); }
    /// Shuts down: runs may end within the grace. A second call stops them at once. An order to drain, received in
    /// the answer to a beat, does not count as the first call.
    void asked_to_drain(const std::string& why, Duration now);
    void answered(Lane lane, StoreAnswer answer, Duration now);
    /// From now on the worker carries these tags: it registers again with them.
    void tags_changed(std::vector<std::string> tags, Duration now);
    void handle(const RunnerEvent& event, Duration now);

    // ---- Commands
    /// What to do now. To be called after events, and at wake_at().
    [[nodiscard]] Commands decide(Duration now);
    [[nodiscard]] Duration wake_at() const;

    [[nodiscard]] const RunBook& book() const { return book_; }
    [[nodiscard]] bool is_draining() const { return drain_.has_value(); }

private:
    /// The life of a worker. It may drain in each phase before Left.
    enum class Phase {
        Joining,  ///< the store has not acknowledged a beat yet
        Serving,
        Leaving,  ///< everything is delivered; it deregisters and does not beat any more
        Left,     ///< nothing is done any more
    };

    /// From the first request to drain on.
    struct Drain {
        Duration began{};
        bool was_asked = false;    ///< by a signal or the application, not only by an order of the store
        bool hurried = false;      ///< ... a second time: the grace does not count any more
        bool stopped_all = false;  ///< every run was asked to stop
        Duration give_up_at{};     ///< of stopped_all: leave then, even with undelivered outcomes
    };

    /// The leases of the call under way on the work lane, in the order of its parameters.
    struct WorkUnderWay {
        std::vector<store::Lease> finishing;
        std::vector<store::TaskLease> finishing_orphans;
        std::vector<store::TaskLease> delivering_again;
        std::vector<store::TaskLease> returning;
        std::vector<store::Lease> starting;
        bool claims = false;
        std::vector<store::Lease> saving;  ///< progress
        struct Logs {
            store::Lease lease = 0;
            RunnerId runner = 0;
            std::size_t chunks = 0;
            std::size_t bytes = 0;
        };
        std::vector<Logs> logging;
    };

    // worker.cc
    void on(const RunnerReady& event, Duration now);
    void on(const RunEnded& event, Duration now);
    void on(const RunnerGone& event, Duration now);
    void on(const RunnerBeat& event, Duration now);
    void on(const RunProgress& event, Duration now);
    void on(const RunLog& event, Duration now);
    void end_run(Run& run, store::FinishedRun outcome, Duration now);
    void take_turn(Duration now);
    void forget_lost_runs();
    void begin_drain(const std::string& why, Duration now);
    void continue_drain(Duration now);
    void stop_for_drain(Duration now);
    void spawn_runners(Duration now);
    void begin_waiting(Duration now);
    void announce_ready(Duration now);
    void begin(Run& run, Duration now);
    [[nodiscard]] bool is_beyond_fence(const Run& run, Duration now) const;
    [[nodiscard]] bool is_unconfirmed(const Run& run) const;
    [[nodiscard]] bool runs_already(const Run& run) const;
    [[nodiscard]] bool wants_runners() const;
    [[nodiscard]] bool has_nothing_to_lose() const;
    void leave(int exit_code);
    [[nodiscard]] bool is_drained() const;
    [[nodiscard]] bool is_open(const LaneState& lane) const { return phase_ == Phase::Serving && !lane.busy; }
    [[nodiscard]] Duration beat_due() const;
    [[nodiscard]] Duration work_due() const;
    [[nodiscard]] Duration claim_due() const;
    [[nodiscard]] Duration spawn_due() const;
    [[nodiscard]] std::optional<Duration> oldest_call() const;
    void say(LogLine line) { commands_.push_back(Say{std::move(line)}); }

    // worker_calls.cc
    void call_beat_lane(Duration now);
    void call_claim_lane(Duration now);
    void call_work_lane(Duration now);
    [[nodiscard]] std::optional<StoreCall> next_work_call(Duration now);
    [[nodiscard]] std::optional<StoreCall> last_logs_call();
    [[nodiscard]] std::optional<StoreCall> last_progress_call();
    [[nodiscard]] bool gathers(Duration now);
    [[nodiscard]] std::optional<StoreCall> turn_call(Duration now);
    void add_finished(store::TurnParams& params);
    [[nodiscard]] std::optional<store::TurnParams> next_claim(Duration now);
    [[nodiscard]] std::optional<StoreCall> logs_call(const std::set<store::Lease>& leases);
    [[nodiscard]] std::optional<StoreCall> snapshot_call(Duration now);
    [[nodiscard]] std::optional<StoreCall> deregister_call();

    // worker_answers.cc
    void beat_lane_answered(const StoreAnswer& answer, Duration now);
    void work_lane_answered(StoreAnswer& answer, Duration now);
    void on_registered(const store::RegisterAnswer& answer, Duration now);
    void on_beat(const store::BeatAnswer& answer, Duration now);
    void on_claimed(store::ClaimAnswer& answer, Duration now);
    void claim_beside();
    void take_in(store::ClaimedTask task, Duration now);
    void on_turn(store::TurnAnswer& answer, Duration now);
    void on_finished(const std::vector<store::FinishOutcome>& outcomes, Duration now);
    void on_handed_back(const store::TaskLease& lease, store::Fenced fenced, Duration now);
    void on_saved();
    void on_start(store::Lease lease, store::Fenced fenced, Duration now);
    [[nodiscard]] LaneState& state_of(Lane lane);
    void on_failed(Lane lane, const CallFailed& failure, Duration now);
    void store_answered(Duration now);
    void set_fence();
    void notice_standstill(Duration now);

    // worker_rollover.cc
    [[nodiscard]] bool is_outdated(const StoreAnswer& answer) const;
    bool meet(std::int64_t rank);
    void note_unlisted(const std::vector<store::TaskLease>& unlisted);
    [[nodiscard]] core::Witness highest_lease() const;
    [[nodiscard]] store::FinishedRun outcome_of_started_orphan(const store::TaskLease& lease) const;
    void say_delivered_again();

    WorkerSettings settings_;  // only the tags change
    Random& random_;
    RunBook book_;
    Claimer claimer_;
    Beater beater_;
    Stopper stopper_;
    LaneState beat_lane_;
    LaneState work_lane_;
    LaneState claim_lane_;
    bool claims_beside_;  // the next claim goes on the claim lane
    Commands commands_;
    Duration turn_due_ = Duration::max();  // when decide() should be called again at the latest

    Phase phase_ = Phase::Joining;
    bool registered_ = false;  // false again when the store has lost its row
    bool cordoned_ = false;
    std::optional<Duration> ready_by_;  // from the first beat until it has announced that it is ready
    std::optional<Drain> drain_;

    Duration beat_sent_at_{};
    bool claim_was_open_ = false;  // when the beat under way was made: leases it did not list may be that claim's
    WorkUnderWay work_;
    Duration claim_trusted_since_{};  // of the leases of the claim under way: see Run::trusted_since
    bool may_have_lost_ = false;      // a run of the book may have lost its lease
    Gatherer gatherer_;
    Duration gathers_until_{};  // ends of runs wait for others until then; zero: they do not
    Outage outage_;

    std::int64_t rank_ = 0;           // of the store's history; 0: not known yet
    store::Lease highest_lease_ = 0;  // that a claim was granted
    Delivered delivered_;
    BegunLeases begun_;

    RunnerId last_runner_ = 0;
    Duration spawn_at_{};
    Backoff spawn_backoff_;
    Duration snapshot_at_{};
    std::vector<store::TaskLease> orphans_;          // leases unknown here: to be handed back,
    std::vector<store::TaskLease> started_orphans_;  // or finished, when they had been started
};

}  // namespace holdfast::engine
