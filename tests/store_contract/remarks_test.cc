#include "store_contract/store_fixture.h"

namespace holdfast::contract {
namespace {

/// Who ordered something, and why: what people write, and events and errors repeat for as long as they are kept.
class Remarks : public StoreContract {
protected:
    /// Every order that carries them, given to a task, a job, a worker, a queue, a schedule and a token.
    std::vector<std::pair<const char*, std::function<void()>>> orders(const std::string& who,
                                                                      const std::string& reason) {
        const store::SteerJobsParams jobs{.jobs = {Uuid()}, .who = who, .reason = reason};
        return {
            {"cancel", [=, this] { store->cancel({.tasks = {task}, .who = who, .reason = reason}); }},
            {"force",
             [=, this] {
                 store->force({.tasks = {task}, .state = TaskState::Failed, .who = who, .reason = reason});
             }},
            {"cancel_jobs", [=, this] { store->cancel_jobs(jobs); }},
            {"pause_jobs", [=, this] { store->pause_jobs(jobs); }},
            {"resume_jobs", [=, this] { store->resume_jobs(jobs); }},
            {"decide_approval",
             [=, this] {
                 store->decide_approval({.job = Uuid(), .step = "s", .approve = true, .who = who, .reason = reason});
             }},
        };
    }
    std::vector<std::pair<const char*, std::function<void()>>> orders_without_reason(const std::string& who) {
        return {
            {"retry_job", [=, this] { store->retry_job({.job = Uuid(), .new_id = Uuid(), .who = who}); }},
            {"start_jobs", [=, this] { store->start_jobs({{.who = who}}); }},
            {"order_worker",
             [=, this] { store->order_worker({.worker = worker, .order = store::WorkerOrder::Cordon, .who = who}); }},
            {"set_queue_paused", [=, this] { store->set_queue_paused("default", true, who); }},
            {"put_schedule", [=, this] { store->put_schedule({.name = "s", .timing = "{}"}, who); }},
            {"set_schedule_paused", [=, this] { store->set_schedule_paused("s", true, who); }},
            {"remove_schedule", [=, this] { store->remove_schedule("s", who); }},
            {"revoke_token", [=, this] { store->revoke_token("t", who); }},
        };
    }
    void expect_refused(const std::vector<std::pair<const char*, std::function<void()>>>& orders,
                        const std::string& why) {
        for (const auto& [name, order] : orders) {
            try {
                order();
                ADD_FAILURE() << name << " took it";
            } catch (const BadInput& refusal) {
                EXPECT_THAT(refusal.what(), HasSubstr(why)) << name;
            }
        }
        EXPECT_EQ(state_of(*store, task), TaskState::Pending);
        EXPECT_THAT(store->last_events(10), IsEmpty());
    }

    void SetUp() override {
        StoreContract::SetUp();
        worker = join(*store);
        task = submit();
    }
    Uuid worker, task;
};
HOLDFAST_FOR_EVERY_STORE(Remarks);

TEST_P(Remarks, ThatAreNoTextAreRefusedByNameAndChangeNothing) {
    expect_refused(orders("ann", "\xff"), "the reason is not valid UTF-8");
    expect_refused(orders("ann", std::string("a\0b", 3)), "the reason contains a NUL byte");
    expect_refused(orders("\xff", "because"), "who orders it is not valid UTF-8");
    expect_refused(orders_without_reason("\xff"), "who orders it is not valid UTF-8");
}

TEST_P(Remarks, ThatAreTooLongAreRefused) {
    expect_refused(orders("ann", std::string(70'000, 'x')), "the reason has 70000 bytes; at most 65536 are allowed");
    expect_refused(orders_without_reason(std::string(300, 'x')), "who orders it has 300 bytes; at most 255");
}

}  // namespace
}  // namespace holdfast::contract
