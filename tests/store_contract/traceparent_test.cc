#include "store_contract/job_fixture.h"

namespace holdfast::contract {
namespace {

const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const std::string other_trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";

class Traceparent : public JobContract {
protected:
    store::NewTask traced(std::string text = trace) const {
        auto task = a_task(clock.now());
        task.traceparent = std::move(text);
        return task;
    }
};
HOLDFAST_FOR_EVERY_STORE(Traceparent);

TEST_P(Traceparent, ComesBackWithTheTaskAndWithItsClaim) {
    const Uuid id = submit(traced());
    const Uuid without = submit();
    EXPECT_EQ(record(*store, id).task.traceparent, trace);
    EXPECT_EQ(record(*store, without).task.traceparent, "");
    for (const auto& claimed : claim(*store, worker, 2).tasks)
        EXPECT_EQ(claimed.task.traceparent, claimed.task.id == id ? trace : "");
}

TEST_P(Traceparent, IsToldAgainToAWorkerWhoAsksAgain) {
    submit(traced());
    const store::TurnParams params = {.worker = worker, .request = random_uuid(), .to_start = 1, .to_hold = 0};
    store->turn(params);
    EXPECT_EQ(store->turn(params).claimed.tasks.at(0).task.traceparent, trace);
}

TEST_P(Traceparent, StaysWithATaskThatRunsAgain) {
    submit(with_retries(traced(), 2));
    const auto first = claim_one(worker);
    finish(*store, worker, failed(first));
    clock.advance(1h);
    EXPECT_EQ(claim(*store, worker, 1).tasks.at(0).task.traceparent, trace);
    EXPECT_EQ(record(*store, first.task).task.traceparent, trace);
}

TEST_P(Traceparent, IsNoPartOfThePayload) {
    const auto task = traced();
    submit(task);
    auto again = task;
    again.traceparent = other_trace;
    EXPECT_EQ(store->submit({again}).at(0).status, store::SubmitStatus::Existing);
    again.traceparent.clear();
    EXPECT_EQ(store->submit({again}).at(0).status, store::SubmitStatus::Existing);
    EXPECT_EQ(record(*store, task.id).task.traceparent, trace);
}

TEST_P(Traceparent, ThatIsNoneIsRefusedWithASentence) {
    for (const auto* bad : {"nonsense", "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
                            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0",
                            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-011",
                            "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                            "00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01",
                            " 0-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}) {
        const auto outcome = store->submit({traced(bad)}).at(0);
        EXPECT_EQ(outcome.status, store::SubmitStatus::Refused) << bad;
        EXPECT_THAT(outcome.complaint, HasSubstr("traceparent")) << bad;
    }
    EXPECT_EQ(store->count().pending, 0);
}

TEST_P(Traceparent, OfAJobsTasksIsNone) {
    const Uuid job = start({a_step("one")});
    EXPECT_EQ(claimed(job, "one").task.traceparent, "");
}

}  // namespace
}  // namespace holdfast::contract
