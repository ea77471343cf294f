#include <unistd.h>

#include <stdexcept>

#include "base/ids.h"
#include "client/connect.h"
#include "platform/system_random.h"
#include "platform/task_ids.h"
#include "proof/bench/driver/queue_driver.h"

namespace holdfast::bench {

std::unique_ptr<store::Store> open_store(const std::string& url) {
    client::ConnectParams params;
    params.url = url;
    return client::connect(params);
}

store::NewTask noop_task(const Uuid& id) {
    store::NewTask task;
    task.id = id;
    task.name = noop_name;
    task.args = noop_args;
    return task;
}

store::WorkerRegistration noop_worker(std::size_t capacity) {
    platform::SystemRandom random;
    store::WorkerRegistration worker;
    worker.id = make_uuid_v4(random);
    worker.name = "bench";
    worker.host.hostname = "bench";
    worker.host.boot_id = "bench";
    worker.host.pid = getpid();
    worker.version = "bench";
    worker.queues = {"default"};
    worker.capacity = static_cast<int>(capacity);
    return worker;
}

store::TurnParams completed(const Uuid& worker, const std::vector<store::ClaimedTask>& tasks) {
    store::TurnParams params;
    params.worker = worker;
    params.finish.reserve(tasks.size());
    for (const auto& task : tasks) {
        auto& run = params.finish.emplace_back();
        run.lease = {task.task.id, task.lease};
        run.result = "null";
    }
    return params;
}

void require(bool holds, const char* what) {
    if (!holds) throw std::runtime_error(what);
}

namespace {

class StoreDriver : public QueueDriver {
public:
    explicit StoreDriver(const std::string& url) : store_(open_store(url)), worker_(noop_worker(1000)) {
        store_->register_worker(worker_);
    }

    void submit(const std::vector<Uuid>& tasks) override {
        std::vector<store::NewTask> batch;
        batch.reserve(tasks.size());
        for (const auto& id : tasks) batch.push_back(noop_task(id));
        for (const auto& outcome : store_->submit(batch))
            require(outcome.status == SubmitStatus::Accepted, "a task was not accepted");
    }

    std::size_t cycle(std::size_t batch) override {
        const auto claimed =
            store_->turn({.worker = worker_.id, .request = platform::new_task_id(), .to_start = batch}).claimed;
        require(claimed.refusal == store::ClaimRefusal::None, "the worker was refused");
        if (claimed.tasks.empty()) return 0;
        for (const auto& task : claimed.tasks)
            require(task.started && task.task.args == noop_args, "a claim is wrong");
        for (const auto& outcome : store_->turn(completed(worker_.id, claimed.tasks)).finished)
            require(outcome.fenced == store::Fenced::Applied, "a finish was refused");
        return claimed.tasks.size();
    }

private:
    std::unique_ptr<store::Store> store_;
    store::WorkerRegistration worker_;
};

}  // namespace

std::unique_ptr<QueueDriver> make_store_driver(const std::string& url) {
    return std::make_unique<StoreDriver>(url);
}

}  // namespace holdfast::bench
