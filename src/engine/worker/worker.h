#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "engine/backoff.h"
#include "engine/worker/beater.h"
#include "engine/worker/claimer.h"
#include "engine/worker/run_book.h"
#include "engine/worker/stopper.h"
#include "engine/worker/worker_commands.h"
#include "engine/worker/worker_settings.h"

namespace holdfast::engine {

/// A worker, without the world: events in, commands out. It holds leases, gives them to runners, tells the store what
/// came of them, beats, drains, and fences itself. Whoever drives it performs the commands and brings back what comes
/// of them. `now` is a monotonic time and never goes back.
///
/// It is driven by state, not by transitions: decide() looks at what is, and says what is to be done. A call to the
/// store that failed leaves everything as it was, and is decided upon again.
class Worker {
public:
    Worker(WorkerSettings settings, Random& random);

    // ---- Events
    /// Something may have become claimable, or falls due.
    void work_arrived() { claimer_.work_arrived(); }
    /// The store may have orders for this worker: to stop a run, to drain. It beats at once, and the answer tells.
    void orders_arrived(Duration now) { beater_.beat_for_orders(now); }
    /// Shut down: let runs end within the grace. Asked a second time: stop them at once. An order to drain, which a
    /// beat brings, does not count as the first time.
    void asked_to_drain(const std::string& why, Duration now);
    void answered(Lane lane, const StoreAnswer& answer, Duration now);
    void handle(const RunnerEvent& event, Duration now);

    // ---- Commands
    /// What is to be done now; to be asked after events, and at wake_at().
    [[nodiscard]] Commands decide(Duration now);
    [[nodiscard]] Duration wake_at() const;

    [[nodiscard]] const RunBook& book() const { return book_; }
    [[nodiscard]] bool is_draining() const { return drain_began_.has_value(); }

private:
    /// What the call under way on the work lane is about, in the order of its parameters.
    struct WorkUnderWay {
        std::vector<store::Lease> finishing;
        std::vector<store::TaskLease> finishing_orphans;
        std::vector<store::Lease> starting;
        std::vector<store::TaskLease> returning;
        std::vector<store::Lease> saving;  ///< progress
        struct Logs {
            store::Lease lease = 0;
            RunnerId runner = 0;
            std::size_t chunks = 0;
            std::size_t bytes = 0;
        };
        std::vector<Logs> logging;
        bool leaving = false;
    };

    // worker.cc
    void on(const RunnerReady& event, Duration now);
    void on(const RunEnded& event, Duration now);
    void on(const RunnerGone& event, Duration now);
    void on(const RunnerBeat& event, Duration now);
    void on(const RunProgress& event, Duration now);
    void on(const RunLog& event, Duration now);
    void end_run(Run& run, store::FinishedRun outcome, Duration now);
    void forget_lost_runs();
    void begin_drain(const std::string& why, Duration now);
    void drain(Duration now);
    void spawn_runners(Duration now);
    void begin_waiting(Duration now);
    void begin(Run& run, Duration now);
    [[nodiscard]] bool is_beyond_fence(const Run& run, Duration now) const;
    [[nodiscard]] bool wants_runners() const;
    [[nodiscard]] bool has_nothing_to_lose() const;
    void leave_unregistered();
    [[nodiscard]] bool is_drained() const;
    void say(LogLine line) { commands_.push_back(Say{std::move(line)}); }

    // worker_calls.cc
    void call_beat_lane(Duration now);
    void call_in_turns(Duration now);
    void call_claim_lane(Duration now);
    void call_work_lane(Duration now);
    [[nodiscard]] std::optional<StoreCall> next_work_call(Duration now);
    [[nodiscard]] std::optional<StoreCall> last_logs_call();
    [[nodiscard]] std::optional<StoreCall> last_progress_call();
    [[nodiscard]] std::optional<StoreCall> finish_or_start_call(Duration now);
    [[nodiscard]] std::optional<StoreCall> hand_back_call();
    [[nodiscard]] std::optional<StoreCall> logs_call(const std::set<store::Lease>& leases);
    [[nodiscard]] std::optional<StoreCall> snapshot_call(Duration now);
    [[nodiscard]] std::optional<StoreCall> deregister_call();

    // worker_answers.cc
    void beat_lane_answered(const StoreAnswer& answer, Duration now);
    void work_lane_answered(const StoreAnswer& answer, Duration now);
    void on_registered(Duration now);
    void on_beat(const store::BeatAnswer& answer, Duration now);
    void note_unlisted(const std::vector<store::TaskLease>& unlisted);
    void on_claimed(const store::ClaimAnswer& answer, Duration now);
    void on_finished(const store::FinishAnswer& answer, Duration now);
    void on_fenced(const std::vector<store::Fenced>& answers, Duration now);
    void on_logs_stored();
    void on_start(store::Lease lease, store::Fenced fenced, Duration now);
    void on_failed(Lane lane, const CallFailed& failure, Duration now);
    void store_answered(Duration now);
    void set_fence();
    void notice_standstill(Duration now);

    const WorkerSettings settings_;
    Random& random_;
    RunBook book_;
    Claimer claimer_;
    Beater beater_;
    Stopper stopper_;
    Backoff beat_backoff_;
    Backoff work_backoff_;
    Backoff claim_backoff_;
    Backoff spawn_backoff_;
    Commands commands_;
    Duration turn_due_ = Duration::max();  // when decide() should be asked again at the latest

    bool registered_ = false;
    bool announced_ = false;
    bool cordoned_ = false;
    std::optional<Duration> drain_began_;
    std::string drain_reason_;
    bool was_asked_to_drain_ = false;  // by a signal or its application, not by an order
    bool hurried_ = false;
    bool stopped_all_ = false;
    Duration give_up_at_{};
    bool leaving_ = false;
    bool left_ = false;

    bool beat_under_way_ = false;
    bool claim_was_open_ = false;  // when the beat under way was made: what it did not list may be that claim's
    Duration beat_sent_at_{};
    Duration beat_retry_at_{};
    std::optional<WorkUnderWay> work_;
    Duration work_retry_at_{};
    bool claim_under_way_ = false;
    Duration claim_trusted_since_{};  // of the leases of the claim under way: see Run::trusted_since
    bool claim_turn_ = false;         // where claims and work take turns: neither starves the other
    Duration claim_retry_at_{};
    std::optional<Duration> away_since_;
    Duration away_said_at_{};

    RunnerId last_runner_ = 0;
    Duration spawn_at_{};
    Duration snapshot_at_{};
    std::vector<store::TaskLease> orphans_;          // not known here: to be handed back,
    std::vector<store::TaskLease> started_orphans_;  // or settled, when they had been started
};

}  // namespace holdfast::engine
