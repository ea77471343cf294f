#include "tests/worker/app/settings.h"

#include <cstdlib>
#include <map>

#include "holdfast/errors.h"
#include "worker/capabilities.h"

namespace holdfast::worker_test {

namespace {

Duration milliseconds(const std::string& text) {
    return std::chrono::milliseconds(std::stol(text));
}

using Setter = std::function<void(worker::WorkerPlan&, const std::string&)>;

const std::map<std::string, Setter>& setters() {
    using Plan = worker::WorkerPlan;
    using Text = const std::string&;
    static const std::map<std::string, Setter> all = {
        {"store", [](Plan& plan, Text text) { plan.store.url = text; }},
        {"name", [](Plan& plan, Text text) { plan.settings.registration.name = text; }},
        {"isolation",
         [](Plan& plan, Text text) { plan.isolation = text == "thread" ? Isolation::Thread : Isolation::Process; }},
        {"queue", [](Plan& plan, Text text) { plan.settings.registration.queues = {text}; }},
        {"capacity", [](Plan& plan, Text text) { plan.settings.registration.capacity = std::stoi(text); }},
        {"beat_ms", [](Plan& plan, Text text) { plan.settings.registration.beat_interval = milliseconds(text); }},
        {"fence_ms", [](Plan& plan, Text text) { plan.settings.registration.fence_after = milliseconds(text); }},
        {"stop_grace_ms", [](Plan& plan, Text text) { plan.settings.stop_grace = milliseconds(text); }},
        {"shutdown_grace_ms", [](Plan& plan, Text text) { plan.settings.shutdown_grace = milliseconds(text); }},
        {"sweep_stale_ms",
         [](Plan& plan, Text text) { plan.sweep.emplace().thresholds.worker_stale = milliseconds(text); }},
        {"memory_bytes", [](Plan& plan, Text text) { plan.limits.memory_bytes = std::stol(text); }},
    };
    return all;
}

}  // namespace

worker::WorkerPlan plan_from(int argc, char** argv, const FunctionTable& functions) {
    worker::WorkerPlan plan;
    plan.settings.registration.queues = {"default"};
    plan.settings.says_debug = true;
    plan.limits.pass_env = {"HOLDFAST_TEST_PLACE"};  // by which tests find every process
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const std::size_t equals = std::min(word.find('='), word.size());
        const auto setter = setters().find(word.substr(0, equals));
        if (setter == setters().end()) throw BadInput("no setting of this program: " + word);
        setter->second(plan, word.substr(equals + 1));
    }
    plan.settings.registration.tags = worker::detect_capabilities({.isolation = plan.isolation}, functions);
    return plan;
}

}  // namespace holdfast::worker_test
