#include "proof/chaos/collect.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "client/connect.h"
#include "platform/files.h"
#include "platform/task_ids.h"
#include "proof/chaos/load.h"

namespace holdfast::chaos {
namespace {

TEST(ChaosCollect, KnowsTheChildJobOfAStep) {
    const platform::PrivateFolder folder("holdfast-collect-test-");
    const auto store = client::connect({.url = "sqlite:" + folder.path() + "/chaos.db", .limits = {}});
    Load load(1);
    std::vector<store::NewJob> jobs;
    for (int i = 0; i < 30; ++i) jobs.push_back(load.next_job(platform::new_task_id()));  // of every shape
    for (const store::SubmitOutcome& outcome : store->start_jobs(jobs))
        EXPECT_EQ(outcome.status, store::SubmitStatus::Accepted) << outcome.complaint;
    Findings findings;
    collect(*store, findings);
    std::size_t children = 0;
    for (const JobSeen& job : findings.jobs)
        for (const StepSeen& step : job.steps) {
            EXPECT_EQ(step.name == "child", !step.child.is_nil());
            if (step.child.is_nil()) continue;
            ++children;
            EXPECT_EQ(std::ranges::count(findings.jobs, step.child, &JobSeen::id), 1);
        }
    EXPECT_GT(children, 0U);
}

}  // namespace
}  // namespace holdfast::chaos
