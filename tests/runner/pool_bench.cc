#include "tests/runner/pool_bench.h"

#include <gtest/gtest.h>

#include <chrono>

#include "base/text.h"
#include "platform/process_table.h"
#include "platform/task_ids.h"

namespace holdfast::runner {

using engine::RunnerId;

std::size_t processes_of(const std::string& worker) {
    const std::string assignment = concat(platform::worker_variable, "=", worker);
    std::size_t count = 0;
    for (const auto& process : platform::list_processes())
        if (process.state != 'Z' && platform::environment_has(process.pid, assignment)) ++count;
    return count;
}

PoolBench::PoolBench(const PoolLimits& limits, bool uses_cgroups, const std::vector<std::string>& withheld)
    : worker_(platform::new_task_id().to_string()), keeper_(std::make_unique<KeeperLink>(uses_cgroups, withheld)) {
    pool_ = std::make_unique<ProcessPool>(
        loop_, *keeper_, worker_, limits, [this](engine::RunnerEvent event) { note(std::move(event)); },
        [this] { has_lost_keeper_ = true; });
}

PoolBench::~PoolBench() {
    close();
    EXPECT_EQ(processes_of(worker_), 0U);
}

void PoolBench::close() {
    pool_.reset();
    keeper_.reset();
}

void PoolBench::note(engine::RunnerEvent event) {
    if (const auto* ready = std::get_if<engine::RunnerReady>(&event)) pids_[ready->runner] = ready->pid;
    if (const auto* log = std::get_if<engine::RunLog>(&event); log != nullptr && acknowledges)
        pool_->logs_stored(log->runner, log->text.size());
    events_.push_back(std::move(event));
}

RunnerId PoolBench::spawn() {
    pool_->spawn(++last_runner_);
    expect<engine::RunnerReady>(last_runner_);
    return last_runner_;
}

store::Lease PoolBench::begin(RunnerId runner, engine::RunOrder order) {
    last_lease_ = {platform::new_task_id(), last_lease_.lease + 1};
    order.lease = last_lease_;
    if (order.timeout == Duration::zero()) order.timeout = std::chrono::minutes(1);
    pool_->begin(runner, order);
    return last_lease_.lease;
}

store::Lease PoolBench::begin(RunnerId runner, const std::string& name, const std::string& args) {
    engine::RunOrder order;
    order.name = name;
    order.args = args;
    return begin(runner, std::move(order));
}

engine::RunEnded PoolBench::run(RunnerId runner, const std::string& name, const std::string& args) {
    begin(runner, name, args);
    return expect<engine::RunEnded>(runner);
}

std::string PoolBench::printed(RunnerId runner, const std::string& stream) const {
    std::string text;
    for (const auto& log : told<engine::RunLog>(runner))
        if (log.stream == stream) text += log.text;
    return text;
}

void PoolBench::turn_until(const std::function<bool()>& holds) {
    const Duration give_up = platform::machine_time() + std::chrono::seconds(60);
    while (!holds()) {
        if (platform::machine_time() > give_up) throw std::runtime_error("waited for a minute in vain");
        loop_.turn(std::chrono::milliseconds(100));
    }
}

}  // namespace holdfast::runner
