#include <chrono>

#include "platform/task_ids.h"
#include "proof/bench/store/job_shapes.h"
#include "proof/bench/store/measures.h"

namespace holdfast::bench {

namespace {

using std::chrono::steady_clock;

double microseconds_since(steady_clock::time_point began) {
    return std::chrono::duration<double, std::micro>(steady_clock::now() - began).count();
}

/// One job on a fresh database, carried out by one connection.
class JobRun {
public:
    JobRun(const Subject& subject, std::size_t batch)
        : database_(subject.make_database()), store_(open_store(database_->url())), batch_(batch) {
        worker_ = noop_worker(1000);
        worker_.tags = {std::string("task:") + noop_name};
        store_->register_worker(worker_);
    }

    double start(const std::string& definition) {
        store::NewJob job;
        job.id = platform::new_task_id();
        job.definition = definition;
        job_ = job.id;
        const auto began = steady_clock::now();
        require(store_->start_jobs({job}).front().status == SubmitStatus::Accepted, "the job was not accepted");
        return microseconds_since(began);
    }

    /// Works until nothing is left to claim. Returns the number of tasks.
    std::size_t finish_all() {
        std::size_t done = 0;
        for (auto tasks = claim(batch_); !tasks.empty(); tasks = claim(batch_)) {
            finish(tasks);
            done += tasks.size();
        }
        return done;
    }

    /// The same with one turn a task, which finishes it and claims the next one.
    std::size_t finish_in_turns() {
        std::size_t done = 0;
        for (auto tasks = claim(1); !tasks.empty(); ++done) {
            auto params = completed(worker_.id, tasks);
            params.request = platform::new_task_id();
            params.to_start = 1;
            auto answer = store_->turn(params);
            require(answer.finished.front().fenced == store::Fenced::Applied, "a finish was refused");
            tasks = std::move(answer.claimed.tasks);
        }
        return done;
    }

    /// Finishes `count` tasks.
    void finish_some(std::size_t count) {
        while (count > 0) {
            const auto tasks = claim(std::min(batch_, count));
            require(!tasks.empty(), "there are too few tasks");
            finish(tasks);
            count -= tasks.size();
        }
    }

    std::vector<store::ClaimedTask> claim(std::size_t count) {
        return store_->turn({.worker = worker_.id, .request = platform::new_task_id(), .to_start = count})
            .claimed.tasks;
    }

    double finish(const std::vector<store::ClaimedTask>& tasks) {
        const auto params = completed(worker_.id, tasks);
        const auto began = steady_clock::now();
        for (const auto& outcome : store_->turn(params).finished)
            require(outcome.fenced == store::Fenced::Applied, "a finish was refused");
        return microseconds_since(began);
    }

    void require_completed() {
        const auto job = store_->find_jobs({job_}).front();
        require(job && job->state == JobState::Completed, "the job is not COMPLETED");
    }

private:
    std::unique_ptr<ScratchDatabase> database_;
    std::unique_ptr<store::Store> store_;
    store::WorkerRegistration worker_;
    std::size_t batch_;
    Uuid job_;
};

struct StepCosts {
    double start = 0, step = 0;  ///< microseconds per step
};

StepCosts run_whole(const Subject& subject, JobShape shape, std::size_t steps, std::size_t batch) {
    JobRun run(subject, batch);
    StepCosts costs;
    const auto count = static_cast<double>(steps);
    costs.start = run.start(job_definition(shape, steps, noop_args)) / count;
    const auto began = steady_clock::now();
    require(run.finish_all() == steps, "steps were lost, or ran twice");
    costs.step = microseconds_since(began) / count;
    run.require_completed();
    return costs;
}

/// Microseconds per step of a chain whose every turn finishes a step and claims the next one.
double run_in_turns(const Subject& subject, std::size_t steps) {
    JobRun run(subject, 1);
    run.start(job_definition(JobShape::Chain, steps, noop_args));
    const auto began = steady_clock::now();
    require(run.finish_in_turns() == steps, "steps were lost, or ran twice");
    const double cost = microseconds_since(began) / static_cast<double>(steps);
    run.require_completed();
    return cost;
}

/// The time of the finish of the last of so many parents, which starts the step that waits for them all.
double last_parent(const Subject& subject, std::size_t parents, std::size_t batch) {
    JobRun run(subject, batch);
    run.start(job_definition(JobShape::FanIn, parents, noop_args));
    run.finish_some(parents - 1);
    const auto last = run.claim(batch);
    require(last.size() == 1, "more than the last parent is left");
    const double cost = run.finish(last);
    require(run.finish_all() == 1, "the fan-in did not follow");
    run.require_completed();
    return cost;
}

}  // namespace

std::vector<Figure> measure_job_cost(const Subject& subject, const JobCostParams& params) {
    std::vector<Figure> figures;
    for (const JobShape shape : {JobShape::Independent, JobShape::Chain}) {
        StepCosts smallest;
        for (const std::size_t steps : params.steps) {
            std::vector<double> starts, costs;
            for (int run = 0; run < params.runs; ++run) {
                const auto cost = run_whole(subject, shape, steps, params.batch);
                starts.push_back(cost.start);
                costs.push_back(cost.step);
            }
            if (smallest.step == 0) smallest = {median(starts), median(costs)};
            const std::string settings = std::to_string(steps) + " steps";
            figures.push_back({subject.store, std::string("start, ") + to_text(shape), settings, median(starts),
                               "us/step", smallest.start});
            figures.push_back(
                {subject.store, std::string(to_text(shape)), settings, median(costs), "us/step", smallest.step});
        }
    }
    for (double smallest = 0; const std::size_t steps : params.steps) {
        std::vector<double> costs;
        for (int run = 0; run < params.runs; ++run) costs.push_back(run_in_turns(subject, steps));
        if (smallest == 0) smallest = median(costs);
        figures.push_back({subject.store, "chain, one turn a step", std::to_string(steps) + " steps", median(costs),
                           "us/step", smallest});
    }
    double smallest = 0;
    for (const std::size_t parents : params.steps) {
        std::vector<double> costs;
        for (int run = 0; run < params.runs; ++run) costs.push_back(last_parent(subject, parents, params.batch));
        if (smallest == 0) smallest = median(costs);
        figures.push_back({subject.store, "finish of the last parent", std::to_string(parents) + " parents",
                           median(costs), "us", smallest});
    }
    return figures;
}

}  // namespace holdfast::bench
