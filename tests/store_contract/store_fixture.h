#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "store_contract/behind_server.h"
#include "store_contract/fake_clock.h"
#include "store_contract/moves.h"
#include "store_contract/printers.h"
#include "store_contract/test_database.h"

namespace holdfast::contract {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

/// A store, and how a test reaches it.
struct StoreAccess {
    StoreAccess(StoreKind its_kind,
                bool is_behind_server = false)  // NOLINT(google-explicit-constructor): a parameter
        : kind(its_kind), behind_server(is_behind_server) {}

    StoreKind kind;
    bool behind_server;  ///< the verbs for workers go through a server
};

/// Every test begins with a fresh database, one open store and a clock that stands still.
class StoreContract : public testing::TestWithParam<StoreAccess> {
protected:
    [[nodiscard]] static StoreKind GetParam() { return TestWithParam::GetParam().kind; }

    void SetUp() override {
        database = make_database(GetParam());
        store = open();
    }

    [[nodiscard]] std::unique_ptr<store::Store> open(const store::Limits& limits = {}) const {
        const OpenParams params{.kind = GetParam(), .address = database->address(), .limits = limits};
        if (TestWithParam::GetParam().behind_server) return std::make_unique<StoreBehindServer>(params, clock);
        return open_store(params, clock);
    }

    /// Submits one task that must be accepted.
    Uuid submit(const store::NewTask& task) {
        EXPECT_EQ(store->submit({task}).at(0).status, store::SubmitStatus::Accepted);
        return task.id;
    }
    Uuid submit() { return submit(a_task(clock.now())); }
    std::vector<Uuid> submit(const std::vector<store::NewTask>& tasks) {
        for (const auto& outcome : store->submit(tasks)) EXPECT_EQ(outcome.status, store::SubmitStatus::Accepted);
        return ids_of(tasks);
    }

    /// Claims exactly one task for a runner.
    store::TaskLease claim_one(const Uuid& worker) {
        const auto answer = claim(*store, worker, 1);
        EXPECT_THAT(answer.tasks, SizeIs(1));
        return lease_of(answer.tasks.at(0));
    }
    /// Claims exactly one task ahead of time.
    store::TaskLease hold_one(const Uuid& worker) {
        const auto answer = claim(*store, worker, 0, 1);
        EXPECT_THAT(answer.tasks, SizeIs(1));
        return lease_of(answer.tasks.at(0));
    }

    FakeClock clock;
    std::unique_ptr<TestDatabase> database;
    std::unique_ptr<store::Store> store;
};

[[nodiscard]] inline std::string kind_name(const testing::TestParamInfo<StoreAccess>& info) {
    return to_text(info.param.kind) + (info.param.behind_server ? "_behind_server" : "");
}
[[nodiscard]] inline std::vector<StoreAccess> every_store(bool behind_servers_too = false) {
    std::vector<StoreAccess> all;
    for (const StoreKind kind : store_kinds()) all.push_back({kind, false});
    for (const StoreKind kind : store_kinds())
        if (behind_servers_too) all.push_back({kind, true});
    return all;
}

[[nodiscard]] inline std::vector<StoreAccess> every_store_behind_a_server() {
    std::vector<StoreAccess> all = every_store(true);
    std::erase_if(all, [](const StoreAccess& access) { return !access.behind_server; });
    return all;
}

/// Runs the suite on every store.
#define HOLDFAST_FOR_EVERY_STORE(Suite) \
    INSTANTIATE_TEST_SUITE_P(Store, Suite, testing::ValuesIn(every_store()), kind_name)
/// The same, and on every store with its part for workers behind a server.
#define HOLDFAST_FOR_EVERY_STORE_AND_SERVER(Suite) \
    INSTANTIATE_TEST_SUITE_P(Store, Suite, testing::ValuesIn(every_store(true)), kind_name)

}  // namespace holdfast::contract
