#include "proof/demo/play.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "client/connect.h"

namespace holdfast::proof {

namespace {

using Clock = std::chrono::steady_clock;

// Long enough for a busy machine.
constexpr auto patience = std::chrono::seconds(60);
constexpr auto between_looks = std::chrono::milliseconds(100);

using Tasks = std::vector<const DemoTask*>;

/// The tasks that run again after a crash, or those that do not.
Tasks with_rerun(const Tasks& tasks, bool run_again) {
    Tasks chosen;
    std::copy_if(tasks.begin(), tasks.end(), std::back_inserter(chosen),
                 [&](const DemoTask* task) { return task->runs_again() == run_again; });
    return chosen;
}

bool has_both_kinds(const Tasks& tasks) {
    return !with_rerun(tasks, true).empty() && !with_rerun(tasks, false).empty();
}

std::unique_ptr<store::Store> make_store(const DemoPlace& place) {
    std::ofstream(place.config()) << demo_config(place);
    (void)place.ledger();  // creates it
    return client::connect({.url = place.store_url(), .limits = {}});
}

}  // namespace

DemoPlay::DemoPlay(Params params)
    : params_(std::move(params)),
      tasks_(fifty_tasks(params_.place)),
      store_(make_store(params_.place)),
      watcher_(*store_, tasks_, params_.view),
      crew_(params_.place) {}

DemoCount DemoPlay::run() {
    assemble();
    submit();
    kill_one();
    freeze_one();
    resume_frozen();
    end_all();
    return count_demo(tasks_, watcher_.records(), params_.place.ledger().read());
}

// ---- The acts -----------------------------------------------------------------------------------

void DemoPlay::assemble() {
    tell_act("1 of 4: three workers, fifty tasks, one SQLite file");
    for (const std::string& setting : shortened_settings())
        watcher_.tell({"settings", "shortened, to save your time: " + setting, {{"setting", setting}}, Tone::Faint});
    wait_until(
        [&] {
            return std::all_of(crew_.workers().begin(), crew_.workers().end(),
                               [&](const DemoWorker& worker) { return watcher_.is_active(worker.name); });
        },
        "three workers to be active");
    for (const DemoWorker& worker : crew_.workers())
        watcher_.tell({"worker_started",
                       fmt::format("{} is active: pid {}, {} slots", worker.name, worker.process.pid(), demo_slots),
                       {{"worker", worker.name}, {"pid", worker.process.pid()}}});
}

void DemoPlay::submit() {
    std::vector<store::NewTask> batch;
    for (const DemoTask& task : tasks_) batch.push_back(task.task);
    for (const auto& outcome : store_->submit(batch))
        if (outcome.status != store::SubmitStatus::Accepted) throw DemoFailed("a task was not accepted");
    watcher_.tell(
        {"submitted",
         fmt::format("submitted {} tasks: charge (on_crash: fail) and resize (on_crash: requeue)", tasks_.size()),
         {{"tasks", tasks_.size()}}});
    wait_until([&] { return all_hold(); }, "the long tasks to run in all slots");
    cast_roles();
}

void DemoPlay::kill_one() {
    begin_act(fmt::format("2 of 4: kill -9 {}", killed_->name));
    watcher_.note_trouble(killed_->name, "kill -9");
    DemoCrew::kill(*killed_);
    watcher_.tell({"killed",
                   fmt::format("kill -9 {} (pid {}): {} of its tasks were running", killed_->name,
                               killed_->process.pid(), on_killed_.size()),
                   {{"worker", killed_->name}, {"pid", killed_->process.pid()}},
                   Tone::Strong});
    await_settled(*killed_, on_killed_);
    open_gates(on_killed_);
    open_gates(on_survivor_);
}

void DemoPlay::freeze_one() {
    begin_act(fmt::format("3 of 4: freeze {} (SIGSTOP)", frozen_->name));
    watcher_.note_trouble(frozen_->name, "SIGSTOP");
    crew_.freeze(*frozen_);
    watcher_.tell({"frozen",
                   fmt::format("froze {} (pid {}), which does not hold the write lock; its runners go on",
                               frozen_->name, frozen_->process.pid()),
                   {{"worker", frozen_->name}, {"pid", frozen_->process.pid()}},
                   Tone::Strong});
    const Tasks charges = with_rerun(on_frozen_, false);
    open_gates(charges);
    wait_until([&] { return have_ended(charges); }, "the runs that nobody told to stop to end");
    watcher_.tell({"ended_unseen",
                   fmt::format("{} run(s) of {} have ended, and it cannot say so", charges.size(), frozen_->name),
                   {{"worker", frozen_->name}, {"runs", charges.size()}}});
    await_settled(*frozen_, on_frozen_);
    open_gates(on_frozen_);
}

void DemoPlay::resume_frozen() {
    begin_act(fmt::format("4 of 4: resume {} (SIGCONT)", frozen_->name));
    watcher_.note_trouble(frozen_->name, "SIGCONT");
    DemoCrew::resume(*frozen_);
    watcher_.tell({"resumed",
                   fmt::format("resumed {}: it comes with late results", frozen_->name),
                   {{"worker", frozen_->name}},
                   Tone::Strong});
    wait_until(
        [&] {
            const Tasks charges = with_rerun(on_frozen_, false);
            return watcher_.is_active(frozen_->name) &&
                   std::all_of(charges.begin(), charges.end(), [&](const DemoTask* task) {
                       return watcher_.has_event("late_result_refused", task->task.id, frozen_->name);
                   });
        },
        "the late results to be refused");
}

void DemoPlay::end_all() {
    wait_until(
        [&] {
            const auto& records = watcher_.records();
            return std::all_of(records.begin(), records.end(),
                               [](const auto& record) { return record && is_terminal(record->state); });
        },
        "all tasks to end");
    may_leave_ = true;
    for (const DemoWorker& worker : crew_.workers()) DemoCrew::ask_to_leave(worker);
    wait_until(
        [&] {
            return std::all_of(crew_.workers().begin(), crew_.workers().end(), [](const DemoWorker& worker) {
                return worker.life == DemoWorker::Life::Left || worker.life == DemoWorker::Life::Killed;
            });
        },
        "the workers to leave");
    watcher_.tell({"ended", "all tasks have ended, and the workers have left"});
    watcher_.show(crew_.workers());
}

// ---- Parts of the acts ----------------------------------------------------------------------

void DemoPlay::begin_act(const std::string& title) {
    for (const auto end = Clock::now() + params_.pause; Clock::now() < end;) turn();
    tell_act(title);
}

void DemoPlay::tell_act(const std::string& title) {
    watcher_.tell({"act", title, Json::object(), Tone::Strong});
}

void DemoPlay::turn() {
    params_.check();
    crew_.reap(may_leave_);
    watcher_.look();
    watcher_.show(crew_.workers());
    std::this_thread::sleep_for(between_looks);
}

void DemoPlay::wait_until(const std::function<bool()>& happened, const std::string& what) {
    const auto deadline = Clock::now() + patience;
    for (turn(); !happened(); turn())
        if (Clock::now() > deadline)
            throw DemoFailed(fmt::format("waited {} s in vain for {}", patience / std::chrono::seconds(1), what));
}

void DemoPlay::open_gates(const Tasks& tasks) {
    for (const DemoTask* task : tasks) std::ofstream(params_.place.gate(task->number)).flush();
}

/// Twelve slots and twelve holding tasks, six of each kind: however they are distributed, one worker has both kinds
/// and another one has a charge.
void DemoPlay::cast_roles() {
    for (DemoWorker& killed : crew_.workers())
        for (DemoWorker& frozen : crew_.workers()) {
            if (&killed == &frozen || killed_ != nullptr || !has_both_kinds(holding_on(killed))) continue;
            if (with_rerun(holding_on(frozen), false).empty()) continue;
            killed_ = &killed;
            frozen_ = &frozen;
        }
    if (killed_ == nullptr) throw DemoFailed("the tasks moved on while the roles were cast");
    on_killed_ = holding_on(*killed_);
    on_frozen_ = holding_on(*frozen_);
    for (DemoWorker& worker : crew_.workers())
        if (&worker != killed_ && &worker != frozen_) on_survivor_ = holding_on(worker);
}

void DemoPlay::await_settled(const DemoWorker& worker, const Tasks& tasks) {
    wait_until(
        [&] {
            return watcher_.has_event("worker_lost", {}, worker.name) &&
                   std::all_of(tasks.begin(), tasks.end(),
                               [&](const DemoTask* task) { return is_settled(worker, *task); });
        },
        fmt::format("the tasks of {} to be recovered", worker.name));
}

bool DemoPlay::is_settled(const DemoWorker& worker, const DemoTask& task) const {
    return watcher_.has_event(task.runs_again() ? "requeued" : "failed", task.task.id, worker.name);
}

DemoPlay::Tasks DemoPlay::holding_on(const DemoWorker& worker) const {
    Tasks found;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
        const auto& record = watcher_.records().at(i);
        if (tasks_[i].holds && record && record->state == TaskState::Running &&
            watcher_.name_of(record->worker) == worker.name)
            found.push_back(&tasks_[i]);
    }
    return found;
}

/// Whether all run, by the store and by the ledger.
bool DemoPlay::all_hold() const {
    std::set<Uuid> begun;
    for (const crew::LedgerLine& line : params_.place.ledger().read().lines) begun.insert(line.task);
    std::size_t running = 0;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
        const auto& record = watcher_.records().at(i);
        const bool runs = record && record->state == TaskState::Running && begun.contains(tasks_[i].task.id);
        if (tasks_[i].holds && runs) ++running;
    }
    return running == demo_slots * demo_workers;
}

bool DemoPlay::have_ended(const Tasks& tasks) const {
    std::set<Uuid> ended;
    for (const crew::LedgerLine& line : params_.place.ledger().read().lines)
        if (line.mark == crew::Mark::Done) ended.insert(line.task);
    return std::all_of(tasks.begin(), tasks.end(),
                       [&](const DemoTask* task) { return ended.contains(task->task.id); });
}

}  // namespace holdfast::proof
