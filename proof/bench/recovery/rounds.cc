#include "proof/bench/recovery/rounds.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <thread>

#include "base/text.h"
#include "client/connect.h"
#include "platform/real_clock.h"
#include "platform/task_ids.h"
#include "proof/bench/recovery/functions.h"
#include "proof/bench/recovery/workers.h"
#include "proof/crew/ledger.h"

namespace holdfast::bench {

namespace {

using std::chrono::milliseconds;

constexpr const char* queue = "recovery-bench";

/// Polls: these waits measure nothing.
template <typename Condition>
void wait_until(Condition condition) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > give_up) throw std::runtime_error("waited two minutes in vain");
        std::this_thread::sleep_for(milliseconds(20));
    }
}

double milliseconds_between(Timestamp from, Timestamp to) {
    return std::chrono::duration<double, std::milli>(to - from).count();
}

class Rounds {
public:
    explicit Rounds(const RecoveryParams& params)
        : params_(params),
          store_(client::connect({.url = params.store, .limits = {}})),
          ledger_((std::filesystem::temp_directory_path() / concat("recovery-", getpid(), ".ledger")).string()),
          survivor_(start("worker", "survivor", 500, true)) {
        wait_until([&] { return find_worker("survivor").has_value(); });
    }
    ~Rounds() {
        survivor_.kill();
        std::error_code ignored;
        std::filesystem::remove(ledger_.path(), ignored);
    }

    void run_one() {
        std::filesystem::resize_file(ledger_.path(), 0);
        order_survivor(store::WorkerOrder::Cordon);
        std::vector<crew::Process> victims;
        ++round_;
        const std::string mode = params_.death == Death::Claimer ? "claimer" : "worker";
        for (int i = 0; i < params_.at_once; ++i)
            victims.push_back(start(mode, concat("victim-", round_, "-", i), 2, false));
        submit_tasks();
        await_victims();
        order_survivor(store::WorkerOrder::Uncordon);
        kill_all(victims);
        await_recovery();
        if (params_.death == Death::Cut) perform(params_.mend);
        collect();
    }
    [[nodiscard]] RecoveryFigures figures() const { return figures_; }

private:
    [[nodiscard]] crew::Process start(const std::string& mode, const std::string& name, int capacity,
                                      bool sweeps) const {
        WorkerWords words{params_.store, name, queue, capacity, sweeps};
        if (params_.death == Death::Cut && !sweeps) {
            words.store = params_.victims_store;
            words.through = params_.through;
        }
        return start_child(mode, words);
    }

    std::optional<store::WorkerRecord> find_worker(const std::string& name) {
        for (store::WorkerRecord& worker : store_->workers())
            if (worker.registration.name == name && worker.beat > 0 && worker.status == store::WorkerStatus::Active)
                return std::move(worker);
        return std::nullopt;
    }

    /// The survivor gets the order with its next beat; a claim obeys it at once.
    void order_survivor(store::WorkerOrder order) {
        store_->order_worker({find_worker("survivor")->registration.id, order, "bench"});
        const bool cordoned = order == store::WorkerOrder::Cordon;
        const std::int64_t beat = find_worker("survivor")->beat;
        wait_until([&] { return find_worker("survivor")->beat > beat + (cordoned ? 0 : 1); });
    }

    void submit_tasks() {
        tasks_.clear();
        std::vector<store::NewTask> tasks;
        for (int i = 0; i < 2 * params_.at_once; ++i) {
            store::NewTask task;
            task.id = platform::new_task_id();
            task.name = run_task;
            task.queue = queue;
            task.tags = {concat("task:", run_task)};
            task.args =
                nlohmann::json{{"ledger", ledger_.path()}, {"returns", params_.death == Death::Claimer}}.dump();
            if (i % 2 == 1) task.policy.on_crash = OnCrash::Requeue;
            tasks_.push_back(task.id);
            tasks.push_back(std::move(task));
        }
        store_->submit(tasks);
    }

    void await_victims() {
        const TaskState wanted = params_.death == Death::Claimer ? TaskState::Claimed : TaskState::Running;
        wait_until([&] {
            const auto records = store_->find(tasks_);
            const bool held = std::ranges::all_of(records, [&](const auto& each) { return each->state == wanted; });
            if (!held) return false;
            workers_.clear();
            for (const auto& each : records) workers_[each->task.id] = each->worker;
            return wanted == TaskState::Claimed || ledger_.read().lines.size() == tasks_.size();
        });
    }

    /// One after the other, so that the same look does not see two deaths.
    void kill_all(const std::vector<crew::Process>& victims) {
        killed_.clear();
        if (params_.death == Death::Runner) return kill_runners();
        if (params_.death == Death::Cut) return cut_network();
        std::map<int, Uuid> ids;
        for (const store::WorkerRecord& worker : store_->workers())
            ids[worker.registration.host.pid] = worker.registration.id;
        for (const crew::Process& victim : victims) {
            std::this_thread::sleep_for(milliseconds(37));
            killed_[ids.at(victim.pid())] = platform::real_clock().now();
            victim.send(params_.death == Death::Silent ? SIGSTOP : SIGKILL);
        }
    }

    void cut_network() {
        const Timestamp now = platform::real_clock().now();
        for (const auto& [task, worker] : workers_) killed_[worker] = now;
        perform(params_.cut);
    }

    static void perform(const std::string& command) {
        if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
    }

    void kill_runners() {
        for (const crew::LedgerLine& line : ledger_.read().lines) {
            std::this_thread::sleep_for(milliseconds(37));
            killed_runs_[line.task] = platform::real_clock().now();
            ::kill(line.pid, SIGKILL);
        }
    }

    void await_recovery() {
        const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
        wait_until([&] {
            const auto records = store_->find(tasks_);
            return std::chrono::steady_clock::now() > give_up ||
                   std::ranges::all_of(records, [](const auto& each) { return is_terminal(each->state); });
        });
    }

    void collect() {
        std::map<Uuid, std::vector<crew::LedgerLine>> runs;
        for (const crew::LedgerLine& line : ledger_.read().lines) runs[line.task].push_back(line);
        for (const auto& record : store_->find(tasks_)) collect(*record, runs[record->task.id]);
    }

    void collect(const store::TaskRecord& record, const std::vector<crew::LedgerLine>& runs) {
        const Uuid& id = record.task.id;
        const Timestamp death = params_.death == Death::Runner ? killed_runs_.at(id) : killed_.at(workers_.at(id));
        const bool may_repeat = record.task.policy.on_crash == OnCrash::Requeue;
        if (!is_terminal(record.state)) ++figures_.lost;
        const bool was_claimed = params_.death == Death::Claimer;
        if (runs.size() > (may_repeat && !was_claimed ? 2U : 1U)) ++figures_.doubled;
        if (was_claimed || may_repeat) {
            if (runs.size() >= (was_claimed ? 1U : 2U))
                figures_.again.push_back(milliseconds_between(death, runs.back().at));
        } else if (record.finished_at) {
            figures_.settled.push_back(milliseconds_between(death, *record.finished_at));
        }
    }

    const RecoveryParams params_;
    std::unique_ptr<store::Store> store_;
    crew::Ledger ledger_;
    crew::Process survivor_;
    int round_ = 0;
    std::vector<Uuid> tasks_;
    std::map<Uuid, Uuid> workers_;           // the first worker of each task
    std::map<Uuid, Timestamp> killed_;       // by worker
    std::map<Uuid, Timestamp> killed_runs_;  // by task
    RecoveryFigures figures_;
};

}  // namespace

RecoveryFigures measure_recovery(const RecoveryParams& params) {
    Rounds rounds(params);
    const int per_round = params.death == Death::Runner ? 2 * params.at_once : params.at_once;
    for (int kills = 0; kills < params.kills; kills += per_round) rounds.run_one();
    return rounds.figures();
}

}  // namespace holdfast::bench
