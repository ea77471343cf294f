#include "client/lost_submits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/relay_store.h"

namespace holdfast::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Uuid first_id = *Uuid::parse("01890000-0000-7000-8000-000000000001");
const Uuid second_id = *Uuid::parse("01890000-0000-7000-8000-000000000002");
const Uuid job_id = *Uuid::parse("01890000-0000-7000-8000-000000000003");

/// A store that accepts every submit and knows only what the test says.
class ForgetfulStore final : public store::RelayStore<ForgetfulStore> {
public:
    std::vector<SubmitOutcome> submit(const std::vector<store::NewTask>& tasks) override {
        std::vector<SubmitOutcome> outcomes;
        current_rank = std::max(current_rank, rank_of_next_submit);
        for (const auto& task : tasks) {
            known.push_back(task.id);
            outcomes.push_back({SubmitStatus::Accepted, task.id, {}});
        }
        return outcomes;
    }
    std::vector<SubmitOutcome> start_jobs(const std::vector<store::NewJob>& jobs) override {
        std::vector<SubmitOutcome> outcomes;
        for (const auto& job : jobs) outcomes.push_back({SubmitStatus::Accepted, job.id, {}});
        return outcomes;
    }
    std::vector<std::optional<store::TaskRecord>> find(const std::vector<Uuid>& ids) override {
        ++finds;
        if (is_away) throw store::Unavailable("away");
        std::vector<std::optional<store::TaskRecord>> found;
        for (const auto& id : ids)
            found.push_back(std::find(known.begin(), known.end(), id) != known.end()
                                ? std::optional(store::TaskRecord{})
                                : std::nullopt);
        return found;
    }
    std::vector<std::optional<JobInfo>> find_jobs(const std::vector<Uuid>& ids) override {
        return std::vector<std::optional<JobInfo>>(ids.size());
    }
    void append_event(const store::EventRecord& event) override { events.push_back(event); }
    store::TaskCounts count(const store::Queues& /*queues*/) override { return {}; }
    std::unique_ptr<store::Watch> watch(store::Topic /*topic*/) override { return nullptr; }
    [[nodiscard]] std::string describe() const override { return "forgetful"; }
    [[nodiscard]] std::int64_t rank() const override { return current_rank; }

    template <typename Call>
    auto relay(const char* verb, store::Effect /*effect*/, const Call& call)
        -> decltype(call(std::declval<Store&>())) {
        throw store::StoreError(verb);
    }

    std::vector<Uuid> known;
    std::vector<store::EventRecord> events;
    std::int64_t current_rank = 1;
    std::int64_t rank_of_next_submit = 0;  ///< its transaction meets another history
    bool is_away = false;
    int finds = 0;
};

store::NewTask task_with(const Uuid& id) {
    store::NewTask task;
    task.id = id;
    return task;
}

class LostSubmitsTest : public testing::Test {
protected:
    ForgetfulStore* inner = new ForgetfulStore;  // owned by the store
    std::vector<LostSubmits> told;
    std::shared_ptr<SubmitMemory> memory =
        std::make_shared<SubmitMemory>("me", [this](const LostSubmits& lost) { told.push_back(lost); });
    std::unique_ptr<store::Store> store = remembering(std::unique_ptr<store::Store>(inner), memory);
};

TEST_F(LostSubmitsTest, AreToldOnceByTheNextCallAfterTheStoreHasGoneBack) {
    (void)store->submit({task_with(first_id), task_with(second_id)});
    (void)store->start_jobs({{.id = job_id}});
    inner->known = {first_id};
    inner->current_rank = 2;

    (void)store->count();

    ASSERT_EQ(told.size(), 1U);
    EXPECT_THAT(told[0].tasks, ElementsAre(second_id));
    EXPECT_THAT(told[0].jobs, ElementsAre(job_id));
    EXPECT_EQ(told[0].rank, 2);
    ASSERT_EQ(inner->events.size(), 1U);
    EXPECT_EQ(inner->events[0].kind, "submits_lost");
    EXPECT_EQ(inner->events[0].who, "me");
    EXPECT_THAT(inner->events[0].message, HasSubstr("lost 1 task and 1 job"));
    EXPECT_THAT(inner->events[0].data, HasSubstr(second_id.to_string()));

    (void)store->count();
    EXPECT_EQ(told.size(), 1U);
}

TEST_F(LostSubmitsTest, AreNotLookedForWhileTheStoreGoesOn) {
    (void)store->submit({task_with(first_id)});
    (void)store->count();
    EXPECT_EQ(inner->finds, 0);
}

TEST_F(LostSubmitsTest, AreLookedForAgainWhenTheStoreDidNotAnswer) {
    (void)store->submit({task_with(first_id)});
    inner->known.clear();
    inner->current_rank = 2;
    inner->is_away = true;
    (void)store->count();
    EXPECT_THAT(told, IsEmpty());

    inner->is_away = false;
    (void)store->count();
    EXPECT_EQ(told.size(), 1U);
}

TEST_F(LostSubmitsTest, WhatSurvivedOneRollbackIsLookedForAfterTheNext) {
    (void)store->submit({task_with(first_id)});
    inner->current_rank = 2;
    (void)store->count();
    EXPECT_THAT(told, IsEmpty());

    inner->known.clear();
    inner->current_rank = 3;
    (void)store->count();
    ASSERT_EQ(told.size(), 1U);
    EXPECT_THAT(told[0].tasks, ElementsAre(first_id));
}

TEST_F(LostSubmitsTest, ASubmitOfTheOldHistoryThatIsNotedLateIsLookedForAtOnce) {
    inner->current_rank = 2;
    memory->check(*inner);
    memory->note(SubmitMemory::Kind::Task, first_id, 1);
    memory->check(*inner);
    EXPECT_EQ(told.size(), 1U);
}

TEST_F(LostSubmitsTest, AreThoseOfTheMinuteBeforeTheNewest) {
    const auto now = std::chrono::steady_clock::now();
    memory->note(SubmitMemory::Kind::Task, first_id, 1, now);
    memory->note(SubmitMemory::Kind::Task, second_id, 1, now + std::chrono::seconds(61));
    inner->current_rank = 2;
    memory->check(*inner, now + std::chrono::seconds(62));
    ASSERT_EQ(told.size(), 1U);
    EXPECT_THAT(told[0].tasks, ElementsAre(second_id));
}

TEST_F(LostSubmitsTest, AreRememberedThroughAnOutage) {
    const auto now = std::chrono::steady_clock::now();
    memory->note(SubmitMemory::Kind::Task, first_id, 1, now);
    inner->current_rank = 2;
    memory->check(*inner, now + std::chrono::minutes(49));
    ASSERT_EQ(told.size(), 1U);
    EXPECT_THAT(told[0].tasks, ElementsAre(first_id));
}

TEST_F(LostSubmitsTest, AreRememberedWhileTheStoreHasNotSaidWhatIsGone) {
    const auto now = std::chrono::steady_clock::now();
    memory->note(SubmitMemory::Kind::Task, first_id, 1, now);
    inner->current_rank = 2;
    inner->is_away = true;
    memory->check(*inner, now + std::chrono::minutes(5));
    inner->known = {second_id};
    memory->note(SubmitMemory::Kind::Task, second_id, 2, now + std::chrono::minutes(5));
    inner->is_away = false;
    memory->check(*inner, now + std::chrono::minutes(6));
    ASSERT_EQ(told.size(), 1U);
    EXPECT_THAT(told[0].tasks, ElementsAre(first_id));
}

TEST_F(LostSubmitsTest, AreToldThoughTheFirstCallAfterALongOutageSubmits) {
    memory->note(SubmitMemory::Kind::Task, first_id, 1, std::chrono::steady_clock::now() - std::chrono::minutes(5));
    inner->rank_of_next_submit = 2;
    (void)store->submit({task_with(second_id)});
    ASSERT_EQ(told.size(), 1U);
    EXPECT_THAT(told[0].tasks, ElementsAre(first_id));
}

TEST_F(LostSubmitsTest, WhatMayHaveBeenRemovedByRetentionIsNotCalledLost) {
    const auto now = std::chrono::steady_clock::now();
    memory->note(SubmitMemory::Kind::Task, first_id, 1, now);
    inner->current_rank = 2;
    memory->check(*inner, now + std::chrono::minutes(51));
    EXPECT_THAT(told, IsEmpty());
}

}  // namespace
}  // namespace holdfast::client
