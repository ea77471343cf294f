#include <chrono>
#include <stdexcept>

#include "platform/real_clock.h"
#include "platform/task_ids.h"
#include "proof/bench/store/measures.h"

namespace holdfast::bench {

namespace {

using Shape = std::function<void(store::NewTask&)>;

void submit_shaped(store::ClientStore& store, std::size_t count, const Shape& shape) {
    while (count > 0) {
        std::vector<store::NewTask> batch(std::min(count, store::max_batch_rows));
        for (auto& task : batch) {
            task = noop_task(platform::new_task_id());
            shape(task);
        }
        store.submit(batch);
        count -= batch.size();
    }
}

class ClaimCost {
public:
    ClaimCost(const Subject& subject, const ClaimCostParams& params)
        : params_(params), database_(subject.make_database()), store_(open_store(database_->url())) {
        store_->register_worker(worker_);
    }

    void submit(
        std::size_t count, const Shape& shape = [](store::NewTask&) {}) {
        submit_shaped(*store_, count, shape);
    }

    store::ClaimAnswer claim(std::size_t batch) {
        return store_->turn({.worker = worker_.id, .request = platform::new_task_id(), .to_start = batch}).claimed;
    }

    /// Claims until the store has parked all tasks that must wait.
    void settle() {
        for (bool more = true; more;) {
            const auto answer = claim(1);
            more = answer.more;
            finish(answer);
        }
    }

    /// How long a claim takes, in microseconds. It must bring a whole batch.
    double time_claim() {
        const auto began = std::chrono::steady_clock::now();
        const auto answer = claim(params_.batch);
        const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - began;
        if (answer.tasks.size() != params_.batch) throw std::runtime_error("a claim came back short");
        finish(answer);
        return time.count();
    }

private:
    void finish(const store::ClaimAnswer& answer) { store_->turn(completed(worker_.id, answer.tasks)); }

    const ClaimCostParams& params_;
    std::unique_ptr<ScratchDatabase> database_;
    std::unique_ptr<store::Store> store_;
    store::WorkerRegistration worker_ = noop_worker(1000);
};

/// Tasks that come first in the order of claims, but that the worker must not get.
struct Obstacle {
    std::string name;
    Shape shape;
};

std::vector<Obstacle> obstacles() {
    const auto in_an_hour = platform::real_clock().now() + std::chrono::hours(1);
    return {
        {"of another queue", [](store::NewTask& task) { task.queue = "other"; }},
        {"of another tag", [](store::NewTask& task) { task.tags = {"gpu"}; }},
        {"in the future", [in_an_hour](store::NewTask& task) { task.run_at = in_an_hour; }},
        {"behind a full key",
         [](store::NewTask& task) {
             task.concurrency = ConcurrencyKey{"busy", 1};
         }},
    };
}

Shape ahead_of_all(Shape shape) {
    return [shape = std::move(shape)](store::NewTask& task) {
        shape(task);
        task.priority = 1;
    };
}

/// The shortest queue, with which the others are compared claim by claim: the cost of a commit changes with the other
/// load of the disk.
class Yardstick {
public:
    Yardstick(const Subject& subject, const ClaimCostParams& params) : params_(params), cost_(subject, params) {
        cost_.submit(params.pending.front());
    }

    Figure compare(ClaimCost& cost, const Subject& subject, const std::string& measure) {
        std::vector<double> times, own_times;
        for (std::size_t turn = 0; turn < params_.claims; ++turn) {
            times.push_back(cost.time_claim());
            own_times.push_back(cost_.time_claim());
        }
        cost_.submit(params_.claims * params_.batch);  // replaces the claimed tasks
        const auto settings = "batch " + std::to_string(params_.batch) + ", 1 connection";
        return {subject.store, "claim, " + measure, settings, median(times), "us", median(own_times)};
    }

private:
    const ClaimCostParams& params_;
    ClaimCost cost_;
};

void place_ahead(ClaimCost& cost, const ClaimCostParams& params, const Obstacle& obstacle) {
    const auto shape = ahead_of_all(obstacle.shape);
    cost.submit(1, shape);
    (void)cost.claim(1);  // takes and keeps the key, if there is one
    cost.submit(params.unrunnable, shape);
    cost.submit(params.pending.front());
    cost.settle();
}

}  // namespace

std::vector<Figure> measure_claim_cost(const Subject& subject, const ClaimCostParams& params) {
    std::vector<Figure> figures;
    Yardstick yardstick(subject, params);
    for (const auto pending : params.pending) {
        ClaimCost cost(subject, params);
        cost.submit(pending);
        figures.push_back(yardstick.compare(cost, subject, std::to_string(pending) + " pending"));
    }
    for (const auto& obstacle : obstacles()) {
        ClaimCost cost(subject, params);
        place_ahead(cost, params, obstacle);
        figures.push_back(
            yardstick.compare(cost, subject, std::to_string(params.unrunnable) + " " + obstacle.name + " ahead"));
    }
    return figures;
}

}  // namespace holdfast::bench
