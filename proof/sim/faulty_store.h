#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include "base/clock.h"
#include "proof/sim/change.h"
#include "proof/sim/disk.h"
#include "proof/sim/process.h"
#include "proof/sim/sqlite_vfs.h"
#include "store/relay_store.h"

namespace holdfast::sim {

/// A call that owns its parameters.
template <typename Call>
struct Lasting {
    Call call;
    auto operator()(store::Store& store) const { return call(store); }
};
template <typename Call>
Lasting(Call) -> Lasting<Call>;
template <typename Body>
inline constexpr bool is_lasting = false;
template <typename Call>
inline constexpr bool is_lasting<Lasting<Call>> = true;

/// The real store, as a simulated process reaches it: calls take time, fail before or after they were applied, find
/// the disk full or torn, or are the last thing that the process does. The witness sees every call as it really was.
class FaultyStore final : public store::RelayStore<FaultyStore> {
public:
    FaultyStore(Process& process, const Clock& clock);
    ~FaultyStore() override { close(); }

    /// The process is dead: its files are closed, and nothing more is written.
    void close();

    // The verbs of which the witness has to know more than their names.
    // faulty_store_tasks.cc
    std::vector<store::SubmitOutcome> submit(const std::vector<store::NewTask>& tasks) override;
    std::vector<store::CancelStatus> cancel(const store::CancelParams& params) override;
    std::vector<store::ForceStatus> force(const store::ForceParams& params) override;
    store::TurnAnswer turn(const store::TurnParams& params) override;
    std::vector<store::Fenced> save_progress(const Uuid& worker,
                                             const std::vector<store::ProgressReport>& reports) override;
    std::vector<store::Fenced> append_logs(const Uuid& worker, const std::vector<store::LogChunk>& chunks) override;
    store::RegisterAnswer register_worker(const store::WorkerRegistration& worker) override;
    store::BeatAnswer beat(const store::BeatParams& params) override;
    bool order_worker(const store::OrderParams& params) override;
    store::LivenessView look() override;
    std::vector<bool> mark_lost(const std::vector<store::LostWorker>& workers) override;
    std::vector<store::RecoverOutcome> recover(const store::RecoverParams& params) override;
    std::vector<store::Fenced> ask_to_stop(const store::AskToStopParams& params) override;
    std::vector<bool> reject(const store::RejectParams& params) override;
    store::PruneAnswer prune(const store::PruneParams& params) override;
    store::SweepLeaseAnswer sweep_lease(const std::string& holder, Duration expiry) override;
    void set_queue_paused(const std::string& queue, bool paused, const std::string& who) override;
    store::DeclareStatus declare_key(const core::KeyDeclaration& key, const std::string& who) override;
    bool remove_key(const std::string& key, const std::string& queue, const std::string& who) override;
    std::unique_ptr<store::Watch> watch(store::Topic topic) override;
    // faulty_store_jobs.cc
    std::vector<store::SubmitOutcome> start_jobs(const std::vector<store::NewJob>& jobs) override;
    std::vector<SteerStatus> cancel_jobs(const store::SteerJobsParams& params) override;
    std::vector<SteerStatus> pause_jobs(const store::SteerJobsParams& params) override;
    std::vector<SteerStatus> resume_jobs(const store::SteerJobsParams& params) override;
    store::DecideStatus decide_approval(const store::DecideParams& params) override;
    store::RetryStatus retry_job(const store::RetryJobParams& params) override;
    std::size_t end_due_waits(std::size_t limit) override;
    std::size_t cancel_overdue_jobs(std::size_t limit, const std::string& who) override;
    store::RepairAnswer repair_jobs(const store::RepairParams& params) override;
    void put_schedule(const store::ScheduleDefinition& schedule, const std::string& who) override;
    bool set_schedule_paused(const std::string& schedule, bool paused, const std::string& who) override;
    bool remove_schedule(const std::string& schedule, const std::string& who) override;
    bool fire(const store::FireParams& params) override;
    // faulty_store.cc
    Timestamp now() override;
    [[nodiscard]] std::string describe() const override { return "simulated"; }
    [[nodiscard]] std::int64_t rank() const override { return store_ ? store_->rank() : 0; }

private:
    /// What goes wrong with a call, decided before it is made.
    struct Fate {
        Duration there{};  ///< how long it takes to reach the store,
        Duration back{};   ///< and its answer to come back
        bool is_slow_back = false;
        bool fails = false;
        bool loses_answer = false;
        bool loses_request = false;
        enum class Kill { None, Before, After } kill = Kill::None;
        std::optional<DiskFault> disk;
        bool hangs = false;                    ///< until its deadline
        std::optional<Duration> late_by;       ///< when a call that hangs is carried out; nullopt: never
        std::optional<Duration> stops_for;     ///< the process, before the call reaches the store
        std::optional<Duration> rouses_after;  ///< the worker that the verdict is about, once it is written
    };

    [[nodiscard]] Fate draw_fate(const Change& change);
    [[nodiscard]] std::optional<DiskFault> draw_disk_fault(bool writes);
    void draw_kill(Fate& fate, double boost);
    void draw_return(Fate& fate, const Change& change);
    void draw_hang(Fate& fate, const Change& change, double boost);
    [[noreturn]] void hang(const Fate& fate, const Change& change, std::function<void(store::Store&)> effect);
    void arrive(const Fate& fate, const Change& change);
    void leave(const Fate& fate, const Change& change, std::uint64_t history);
    /// How many histories the store has had.
    [[nodiscard]] std::uint64_t histories() const;
    void stop_for(Duration length);
    [[noreturn]] void die(const std::string& how);
    void disarm();
    void applied(Change& change);
    void refused(Change& change, const store::StoreError& failure);
    void note_turn(const store::TurnParams& params, const store::TurnAnswer& answer, Change& made);
    void end_if_dead(const Change& change);
    [[nodiscard]] store::Store& opened();

    /// Makes the call. `confirm(answer, change)` notes in the change what the answer says of it. `body` owns its
    /// parameters if it is Lasting: then it can be carried out after its caller gave it up.
    template <typename Body, typename Confirm>
    auto perform(Change change, const Body& body, const Confirm& confirm) {
        const Fate fate = draw_fate(change);
        if (fate.hangs) {
            if constexpr (is_lasting<Body>) {
                hang(fate, change, [body](store::Store& store) { body(store); });
            } else {
                hang(fate, change, nullptr);
            }
        }
        arrive(fate, change);
        const std::uint64_t history = histories();
        auto answer = [&] {
            const OpeningFor opening(client_);
            try {
                auto given = body(opened());
                confirm(given, change);
                return given;
            } catch (const store::StoreError& failure) {
                refused(change, failure);
                throw;
            }
        }();
        applied(change);
        leave(fate, change, history);
        return answer;
    }
    /// The same for an answer that says nothing of the change.
    template <typename Body>
    auto perform(Change change, const Body& body) {
        const auto says_nothing = [](const auto&, Change&) {};
        if constexpr (std::is_void_v<std::invoke_result_t<Body, store::Store&>>) {
            const auto answering = [body](store::Store& store) {
                body(store);
                return true;
            };
            if constexpr (is_lasting<Body>) {
                perform(std::move(change), Lasting{answering}, says_nothing);
            } else {
                perform(std::move(change), answering, says_nothing);
            }
        } else {
            return perform(std::move(change), body, says_nothing);
        }
    }
    /// A write that may bring work, and that ends and starts no lease.
    template <typename Body>
    auto write(std::string_view verb, const std::string& detail, const Body& body) {
        Change change = Change::writing(verb, detail);
        change.brings_work = true;
        return perform(std::move(change), body);
    }

    friend class store::RelayStore<FaultyStore>;
    /// All other verbs.
    template <typename Call>
    auto relay(const char* verb, store::Effect effect, const Call& call) {
        return perform(effect == store::Effect::Reads ? Change::reading(verb) : Change::writing(verb), call);
    }

    Process& process_;
    const Clock& clock_;
    std::shared_ptr<DiskClient> client_;
    std::unique_ptr<store::Store> store_;
};

}  // namespace holdfast::sim
