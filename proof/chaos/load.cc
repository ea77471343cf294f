#include "proof/chaos/load.h"

#include <map>

#include "base/text.h"
#include "holdfast/workflow.h"
#include "proof/chaos/chaos_task.h"

namespace holdfast::chaos {

namespace {

using std::chrono::milliseconds;

TaskPolicy policy(OnCrash on_crash, int attempts = 1) {
    TaskPolicy made;
    made.on_crash = on_crash;
    made.retry.max_attempts = attempts;
    made.retry.base = milliseconds(200);
    return made;
}

nlohmann::json takes(int length, int fails = 0) {
    return to_json({.milliseconds = length, .fails = fails});
}

/// The dependencies of each step, by workflow: the same as in the workflows below.
const std::map<std::string, std::map<std::string, std::vector<std::string>>, std::less<>>& waits() {
    static const std::map<std::string, std::map<std::string, std::vector<std::string>>, std::less<>> all = {
        {"diamond", {{"left", {"top"}}, {"right", {"top"}}, {"bottom", {"left", "right"}}}},
        {"fan", {{"gather", {"spread"}}}},
        {"family", {{"last", {"child"}}}},
    };
    return all;
}

/// A join of two steps, one of which may run again and fails once on its own; with hooks.
Workflow diamond() {
    Workflow flow("diamond");
    flow.step("top", chaos_task, takes(20)).policy(policy(OnCrash::Requeue));
    flow.step("left", chaos_task, takes(30, 1)).policy(policy(OnCrash::Requeue, 4)).after({"top"});
    flow.step("right", chaos_task, takes(40)).policy(policy(OnCrash::Fail)).after({"top"});
    flow.step("bottom", chaos_task, takes(20)).policy(policy(OnCrash::Requeue)).after({"left", "right"});
    flow.on_success(chaos_task, takes(5));
    flow.on_error(chaos_task, takes(5));
    return flow;
}

/// A fan-out over a list, two at a time, and its fan-in.
Workflow fan() {
    Workflow flow("fan");
    flow.step("spread", chaos_task, takes(25))
        .for_each(nlohmann::json::array({1, 2, 3, 4, 5, 6}))
        .parallel(3)
        .policy(policy(OnCrash::Requeue));
    flow.step("gather", chaos_task, takes(10)).policy(policy(OnCrash::Requeue)).after({"spread"});
    return flow;
}

/// A child job, and a step after it.
Workflow family() {
    Workflow flow("family");
    flow.child("child", diamond());
    flow.step("last", chaos_task, takes(10)).policy(policy(OnCrash::Requeue)).after({"child"});
    return flow;
}

}  // namespace

Load::Load(std::uint64_t seed)
    : random_(seed), definitions_{diamond().definition(), fan().definition(), family().definition()} {}

int Load::between(int least, int most) {
    return least + static_cast<int>(random_() % static_cast<std::uint64_t>(most - least + 1));
}

store::NewTask Load::next_task(const Uuid& id) {
    Behaviour behaviour{.milliseconds = between(20, 200)};
    store::NewTask task;
    const int kind = between(0, 99);
    if (kind < 30) {
        task.policy = policy(OnCrash::Fail);
    } else if (kind < 60) {
        task.policy = policy(OnCrash::Requeue);
    } else if (kind < 75) {
        behaviour = {.milliseconds = between(5, 40), .key = concat("one-", between(1, 6)), .limit = 1};
        task.policy = policy(kind % 2 == 0 ? OnCrash::Requeue : OnCrash::Fail);
    } else if (kind < 83) {
        behaviour = {.milliseconds = between(5, 60), .key = concat("two-", between(1, 3)), .limit = 2};
        task.policy = policy(kind % 2 == 0 ? OnCrash::Requeue : OnCrash::Fail);
    } else if (kind < 93) {
        behaviour.fails = between(1, 2);
        task.policy = policy(kind % 2 == 0 ? OnCrash::Requeue : OnCrash::Fail, 4);
    } else if (kind < 98) {
        behaviour.fails = 1'000;  // at every attempt
        task.policy = policy(OnCrash::Fail, between(1, 2));
    } else {
        behaviour.dies = true;
        task.policy = policy(kind % 2 == 0 ? OnCrash::Requeue : OnCrash::Fail);
        task.policy.max_crashes = 1;
    }
    if (behaviour.limit > 0) task.concurrency = ConcurrencyKey{behaviour.key, behaviour.limit};
    task.id = id;
    task.name = chaos_task;
    task.args = to_json(behaviour).dump();
    task.tags = {concat("task:", chaos_task)};
    return task;
}

store::NewJob Load::next_job(const Uuid& id) {
    return {.id = id, .definition = definitions_[random_() % definitions_.size()], .who = "chaos"};
}

std::vector<std::string> dependencies_of(std::string_view workflow, std::string_view step) {
    const auto found = waits().find(workflow);
    if (found == waits().end()) return {};
    const auto listed = found->second.find(std::string(step));
    return listed == found->second.end() ? std::vector<std::string>() : listed->second;
}

}  // namespace holdfast::chaos
