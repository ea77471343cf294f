#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/workflow/workflow.h"
#include "store_contract/differential_answers.h"
#include "store_contract/fake_clock.h"

namespace holdfast::contract {

/// Drives two stores through the same random life and compares every answer. Everything it does follows from its
/// seed.
class DifferentialDriver {
public:
    DifferentialDriver(store::Store& first, store::Store& second, FakeClock& clock, std::uint64_t seed);

    /// One operation on both; "" when they agree, else what each of them said.
    [[nodiscard]] std::string step();
    /// Compares all that both stores can tell; "" when they agree.
    [[nodiscard]] std::string compare_dumps();
    /// How often what is rare has happened: a test that never gets there proves nothing.
    struct Seen {
        std::size_t decisions = 0, retries = 0, fires = 0, rollovers = 0;  ///< on both stores together
        std::set<Uuid> completed = {}, failed = {}, cancelled = {}, completed_children = {};  ///< jobs, when compared
    };
    [[nodiscard]] const Seen& seen() const { return seen_; }
    /// The latest operations, for a person to see how it came to this.
    [[nodiscard]] std::string recent_operations() const;

private:
    static inline const std::vector<std::string> queues = {"a", "b", "c"};

    using Operation = std::string (DifferentialDriver::*)();

    template <typename Call>
    std::string both(const std::string& what, const Call& call) {
        note(what);
        const std::string first = first_text_(call(first_, true));
        const std::string second = second_text_(call(second_, false));
        return first == second ? "" : what + "\n--- first store\n" + first + "\n--- second store\n" + second + "\n";
    }

    std::string submit();
    std::string submit_again();
    std::string claim();
    std::string claim_again();
    std::string start();
    std::string turn();
    std::string turn_again();
    std::string take_turn(const std::string& what, const std::pair<store::TurnParams, store::TurnParams>& params);
    std::string hand_back();
    std::string progress();
    std::string log();
    std::string cancel();
    std::string force();
    std::string reject();
    std::string recover();
    std::string ask_to_stop();
    std::string beat();
    std::string change_worker();
    std::string mark_lost();
    std::string expire();
    std::string pause();
    std::string change_key();
    std::string prune();
    std::string sweep_lease();
    std::string note_sweep();
    std::string append_event();
    std::string change_token();
    std::string append_snapshot();
    std::string let_time_pass();

    // Jobs and schedules
    std::string start_job();
    std::string start_job_again();
    std::string look_at_job();
    std::string steer_jobs();
    std::string decide();
    std::string retry_job();
    std::string sweep_jobs();
    std::string change_schedule();
    std::string fire();

    std::size_t below(std::size_t bound);
    bool chance(double probability) { return static_cast<double>(below(1'000'000)) < probability * 1'000'000; }
    template <typename Item>
    const Item& any_of(const std::vector<Item>& items) {
        return items[below(items.size())];
    }
    Uuid uuid();
    Uuid task_id();
    store::NewTask new_task();
    [[nodiscard]] core::WorkflowStep new_step(const std::vector<core::WorkflowStep>& earlier);
    [[nodiscard]] core::Workflow new_workflow(const std::string& name);
    [[nodiscard]] store::NewJob new_job();
    [[nodiscard]] Uuid some_job();
    void get_to_know(const Uuid& job);
    void get_to_know_everything();
    void join_worker();
    void note(const std::string& operation);
    /// The same lease has its own number in each store; `real` mostly, else one that is not current.
    struct LeasePair {
        store::TaskLease first, second;
        bool started = false;
        Uuid worker;
    };
    LeasePair any_lease();
    /// Mostly of one worker, if it is not given of any.
    std::vector<LeasePair> some_leases(std::optional<Uuid> worker = std::nullopt);
    /// What a worker of this store may have seen: rarely more than the store knows.
    [[nodiscard]] core::Witness witness(store::Lease highest);
    void remember(const store::ClaimAnswer& first, const store::ClaimAnswer& second, const Uuid& worker);
    std::vector<Uuid> some_tasks();

    store::Store& first_;
    store::Store& second_;
    FakeClock& clock_;
    std::mt19937_64 random_;
    AnswerText first_text_;
    AnswerText second_text_;
    std::vector<store::WorkerRegistration> workers_;
    std::vector<store::NewTask> submitted_;
    std::vector<Uuid> known_tasks_;
    std::vector<store::NewJob> started_jobs_;
    std::vector<Uuid> known_jobs_;
    Seen seen_;
    std::vector<LeasePair> leases_;
    std::map<Uuid, std::int64_t> beats_;  // the last acknowledged, by worker
    std::vector<std::pair<store::TurnParams, store::TurnParams>> turns_;
    std::pair<store::TurnParams, store::TurnParams> last_claim_;
    std::deque<std::string> recent_;
    std::uint64_t steps_ = 0;
};

}  // namespace holdfast::contract
