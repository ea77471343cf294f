#include "proof/chaos/submitter.h"

#include <chrono>
#include <stdexcept>

#include "base/text.h"
#include "platform/real_clock.h"
#include "platform/task_ids.h"

namespace holdfast::chaos {

namespace {

constexpr auto pause = std::chrono::milliseconds(50);
constexpr std::int64_t tasks_per_job = 25;

void require(const std::vector<store::SubmitOutcome>& outcomes) {
    for (const store::SubmitOutcome& outcome : outcomes)
        if (outcome.status != store::SubmitStatus::Accepted && outcome.status != store::SubmitStatus::Existing)
            throw std::runtime_error(concat("the store refused ", outcome.id.to_string(), ": ", outcome.complaint));
}

}  // namespace

Submitter::Submitter(SubmitterParams params)
    : params_(std::move(params)), load_(params_.seed), thread_([this] { run(); }) {}

Submitter::~Submitter() {
    stop();
}

void Submitter::stop() {
    stops_ = true;
    if (thread_.joinable()) thread_.join();
}

void Submitter::run() {
    const auto memory =
        std::make_shared<client::SubmitMemory>("chaos", [this](const LostSubmits& lost) { note_lost(lost); });
    std::unique_ptr<store::Store> store;
    while (!stops_ && defect_.empty()) {
        try {
            if (store == nullptr)
                store = client::connect({.url = params_.store_url, .limits = {}, .create = false, .submits = memory});
            supply(*store);
        } catch (const store::StoreError&) {
            ++failed_calls_;
        } catch (const std::exception& problem) {
            defect_ = problem.what();
        }
        std::this_thread::sleep_for(pause);
    }
    has_stopped_ = true;
}

void Submitter::note_lost(const LostSubmits& lost) {
    told_lost_.insert(lost.tasks.begin(), lost.tasks.end());
    told_lost_.insert(lost.jobs.begin(), lost.jobs.end());
}

void Submitter::supply(store::ClientStore& store) {
    std::int64_t there = 0;
    for (const store::QueueRecord& queue : store.queues()) there += queue.pending + queue.in_flight;
    if (waiting_tasks_.empty() && waiting_jobs_.empty() && there < params_.backlog)
        make_more(params_.backlog - there);
    submit_waiting(store);
}

/// Makes a job each time, so that there are many: usually only a few tasks are missing.
void Submitter::make_more(std::int64_t missing) {
    for (std::int64_t i = 0; i < missing; ++i) {
        waiting_tasks_.push_back(load_.next_task(platform::new_task_id()));
        if (i % tasks_per_job == 0) waiting_jobs_.push_back(load_.next_job(platform::new_task_id()));
    }
}

void Submitter::submit_waiting(store::ClientStore& store) {
    require(store.submit(waiting_tasks_));
    Timestamp now = platform::real_clock().now();
    for (const store::NewTask& task : waiting_tasks_) tasks_.push_back({task.id, now});
    waiting_tasks_.clear();
    require(store.start_jobs(waiting_jobs_));
    now = platform::real_clock().now();
    for (const store::NewJob& job : waiting_jobs_) jobs_.push_back({job.id, now});
    waiting_jobs_.clear();
}

}  // namespace holdfast::chaos
