#include "store_contract/child_roles.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "store_contract/moves.h"

namespace holdfast::contract {
namespace {

/// Opens the store (and so migrates it); says which schema version it found itself at.
int open_only(const ChildContext& child) {
    const auto store = open_store(child.open, child.clock);
    child.say(std::to_string(store->migrate().to));
    return 0;
}

/// Submits batches of three for ever; says each id once its submit has returned.
int submit_for_ever(const ChildContext& child) {
    const auto store = open_store(child.open, child.clock);
    while (!child.told_to_stop()) {
        const auto batch = tasks(child.clock.now(), 3);
        store->submit(batch);
        for (const auto& task : batch) child.say(task.id.to_string());
    }
    return 0;
}

/// Submits batches of `arguments[0]` for ever, without a pause.
int submit_flat_out(const ChildContext& child) {
    const auto store = open_store(child.open, child.clock);
    const std::size_t batch = std::stoul(child.arguments.at(0));
    store->submit(tasks(child.clock.now(), batch));
    child.say("writing");
    while (!child.told_to_stop()) store->submit(tasks(child.clock.now(), batch));
    return 0;
}

/// Claims and completes for ever, at most `arguments[0]` at a time; says each id once its finish has returned.
int work_for_ever(const ChildContext& child) {
    const auto store = open_store(child.open, child.clock);
    const Uuid worker = join(*store);
    const std::size_t batch = std::stoul(child.arguments.at(0));
    while (!child.told_to_stop()) {
        std::vector<store::FinishedRun> runs;
        for (const auto& one : claim(*store, worker, batch).tasks)
            runs.push_back(completed(lease_of(one), R"("done")"));
        store->turn({.worker = worker, .finish = runs});
        for (const auto& run : runs) child.say(run.lease.task.to_string());
    }
    return 0;
}

/// Claims and completes until nothing is left; says "id lease" of each.
int drain(const ChildContext& child) {
    const auto store = open_store(child.open, child.clock);
    const Uuid worker = join(*store);
    while (true) {
        const auto answer = claim(*store, worker, 7);
        if (answer.tasks.empty() && !answer.more) return 0;
        std::vector<store::FinishedRun> runs;
        for (const auto& one : answer.tasks) runs.push_back(completed(lease_of(one)));
        store->turn({.worker = worker, .finish = runs});
        for (const auto& run : runs) {
            child.say(run.lease.task.to_string() + " " + std::to_string(run.lease.lease));
        }
    }
}

/// Waits for a line of ids, submits a task with each; says how many were accepted.
int submit_these(const ChildContext& child) {
    const auto store = open_store(child.open, child.clock);
    child.say("ready");
    std::vector<store::NewTask> batch;
    while (const auto line = child.hear()) {
        if (*line == "go") break;
        store::NewTask task;
        task.id = Uuid::parse(*line).value();
        task.name = "noop";
        batch.push_back(task);
    }
    const auto outcomes = store->submit(batch);
    child.say(std::to_string(std::count_if(outcomes.begin(), outcomes.end(), [](const auto& outcome) {
        return outcome.status == store::SubmitStatus::Accepted;
    })));
    return 0;
}

/// Submits one task for every line heard, and answers with its id.
int ring_when_told(const ChildContext& child) {
    const auto store = open_store(child.open, child.clock);
    child.say("ready");
    while (child.hear()) {
        const auto task = a_task(child.clock.now());
        store->submit({task});
        child.say(task.id.to_string());
    }
    return 0;
}

/// Holds a write transaction of its own, as a program that knows nothing of turns would, until its input ends. Runs
/// `arguments` before.
int hold_transaction(const ChildContext& child) {
    const auto raw = make_raw(child.open.kind, child.open.address);
    for (const std::string& statement : child.arguments) raw->execute(statement);
    raw->execute("BEGIN IMMEDIATE");
    raw->execute("INSERT INTO queue (name) VALUES ('foreign')");
    child.say("holding");
    while (child.hear()) {
    }
    raw->execute("ROLLBACK");
    return 0;
}

/// Like the other clock, but once armed it stops the process at the next call of now().
class StoppingClock final : public Clock {
public:
    explicit StoppingClock(const Clock& other) : other_(other) {}
    [[nodiscard]] Timestamp now() const override {
        if (std::exchange(is_armed_, false)) raise(SIGSTOP);
        return other_.now();
    }
    void arm() { is_armed_ = true; }

private:
    const Clock& other_;
    mutable bool is_armed_ = false;
};

/// Submits a task, and is stopped in the midst of it: a write asks for the time when it has its turn.
int stop_inside_its_turn(const ChildContext& child) {
    StoppingClock clock(child.clock);
    const auto store = open_store(child.open, clock);
    clock.arm();
    store->submit({a_task(child.clock.now())});
    return 0;
}

/// Opens the store as a user who may only read its files.
int open_without_rights(const ChildContext& child) {
    for (const auto& file :
         std::filesystem::directory_iterator(std::filesystem::path(child.open.address).parent_path())) {
        chmod(file.path().c_str(), 0444);
    }
    chmod(std::filesystem::path(child.open.address).parent_path().c_str(), 0555);
    constexpr uid_t nobody = 65534;
    if (geteuid() == 0 && seteuid(nobody) != 0) throw std::runtime_error("cannot give up being root");
    std::string answer = "usable";
    try {
        open_store(child.open, child.clock)->submit({a_task(child.clock.now())});
    } catch (const store::Unusable&) {
        answer = "unusable";
    }
    if (getuid() == 0 && seteuid(0) != 0) throw std::runtime_error("cannot be root again");
    chmod(std::filesystem::path(child.open.address).parent_path().c_str(), 0755);
    for (const auto& file :
         std::filesystem::directory_iterator(std::filesystem::path(child.open.address).parent_path())) {
        chmod(file.path().c_str(), 0644);
    }
    child.say(answer);
    return 0;
}

/// Submits until no file may grow any more; says how many tasks were accepted, and how it ended.
int fill_the_disk(const ChildContext& child) {
    const auto store = open_store(child.open, child.clock);
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{.rlim_cur = 2 << 20, .rlim_max = 2 << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
    std::size_t accepted = 0;
    std::string ending = "endless";
    try {
        for (int i = 0; i < 100; ++i) {
            store->submit(tasks(child.clock.now(), 1000));
            accepted += 1000;
        }
    } catch (const store::Full&) {
        ending = "full";
    }
    child.say(std::to_string(accepted));
    child.say(ending);
    return 0;
}

}  // namespace

ChildRole child_role(const std::string& name) {
    static const std::map<std::string, ChildRole> roles = {
        {"open", open_only},
        {"submit_for_ever", submit_for_ever},
        {"work_for_ever", work_for_ever},
        {"submit_flat_out", submit_flat_out},
        {"stop_inside_its_turn", stop_inside_its_turn},
        {"open_without_rights", open_without_rights},
        {"fill_the_disk", fill_the_disk},
        {"drain", drain},
        {"submit_these", submit_these},
        {"ring_when_told", ring_when_told},
        {"hold_transaction", hold_transaction},
    };
    return roles.at(name);
}

}  // namespace holdfast::contract
