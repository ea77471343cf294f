#include <gmock/gmock.h>

#include "base/ids.h"
#include "integration/place.h"
#include "platform/system_random.h"

namespace holdfast::integration {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class CliWorkers : public AnyStoreProgramTest {
protected:
    /// A worker as the store knows it.
    Uuid register_worker(const std::string& name) {
        platform::SystemRandom random;
        store::WorkerRegistration worker;
        worker.id = make_uuid_v4(random);
        worker.name = name;
        worker.version = "0.1.0";
        worker.queues = {"default"};
        worker.tags = {"script", "task:resize"};
        worker.capacity = 4;
        store().register_worker(worker);
        beat(worker.id);
        return worker.id;
    }
    store::BeatAnswer beat(const Uuid& id) {
        store::BeatParams params;
        params.worker = id;
        return store().beat(params);
    }
    [[nodiscard]] nlohmann::json worker(const std::string& name) const {
        return holdfast({"workers", "show", name, "--json"}).json()["worker"];
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, CliWorkers, testing::ValuesIn(all_kinds()), name_of);

TEST_P(CliWorkers, ListShowsNameStatusFreshnessBeatLoadTagsAndVersion) {
    const Uuid id = register_worker("web-1");
    const Ran ran = holdfast({"workers", "list"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    ASSERT_THAT(ran.lines(), SizeIs(2));
    EXPECT_THAT(ran.lines()[1],
                AllOf(HasSubstr(id.to_string()), HasSubstr("web-1"), HasSubstr("active"), HasSubstr("fresh"),
                      HasSubstr(" ago"), HasSubstr("0/4"), HasSubstr("script,task:resize"), HasSubstr("0.1.0")));
}

TEST_P(CliWorkers, ListPrintsEveryMemberAsJson) {
    const Uuid id = register_worker("web-1");
    const auto lines = holdfast({"workers", "list", "--json"}).json_lines();
    ASSERT_THAT(lines, SizeIs(1));
    const auto& line = lines[0];
    EXPECT_EQ(line["id"], id.to_string());
    EXPECT_EQ(line["name"], "web-1");
    EXPECT_EQ(line["status"], "active");
    EXPECT_EQ(line["cordoned"], false);
    EXPECT_EQ(line["drain_requested"], false);
    EXPECT_EQ(line["fresh"], true);
    EXPECT_TRUE(line["last_heartbeat"].is_string());
    EXPECT_LT(line["seconds_ago"], 60.0);
    EXPECT_EQ(line["running"], 0);
    EXPECT_EQ(line["claimed"], 0);
    EXPECT_EQ(line["capacity"], 4);
    EXPECT_EQ(line["queues"], nlohmann::json({"default"}));
    EXPECT_EQ(line["tags"], nlohmann::json({"script", "task:resize"}));
    EXPECT_EQ(line["version"], "0.1.0");
    for (const char* member : {"host", "pid", "registered_at"}) EXPECT_TRUE(line.contains(member)) << member;
}

TEST_P(CliWorkers, ThatHaveLeftAreListedOnlyWhenAskedFor) {
    const Uuid id = register_worker("web-1");
    store().deregister_worker(id);
    EXPECT_THAT(holdfast({"workers", "list", "--json"}).json_lines(), IsEmpty());
    const auto all = holdfast({"workers", "list", "--all", "--json"}).json_lines();
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_EQ(all[0]["status"], "inactive");
    EXPECT_EQ(all[0]["fresh"], false);
}

TEST_P(CliWorkers, CanBeCordonedUncordonedAndDrainedByName) {
    const Uuid id = register_worker("web-1");
    const Ran cordoned = holdfast({"workers", "cordon", "web-1"});
    EXPECT_EQ(cordoned.exit_code, 0) << cordoned.err;
    EXPECT_EQ(cordoned.out,
              "worker " + id.to_string() + " is cordoned: it claims nothing more; what it runs goes on\n");
    EXPECT_EQ(worker("web-1")["cordoned"], true);
    EXPECT_THAT(holdfast({"workers", "list"}).out, HasSubstr("active, cordoned"));
    EXPECT_EQ(holdfast({"workers", "uncordon", "web-1", "--json"}).json(),
              nlohmann::json({{"id", id.to_string()}, {"status", "uncordoned"}}));
    EXPECT_EQ(worker("web-1")["cordoned"], false);
    EXPECT_EQ(holdfast({"workers", "drain", "web-1", "--json"}).json()["status"], "asked");
    EXPECT_TRUE(beat(id).drain);
}

TEST_P(CliWorkers, CanBeNamedByTheBeginningOfTheirIds) {
    const Uuid first = register_worker("a");
    const Uuid second = register_worker("b");
    EXPECT_EQ(worker(first.to_string())["name"], "a");
    EXPECT_EQ(worker(second.to_string().substr(0, 13))["name"], "b");
}

TEST_P(CliWorkers, WithOneNameAreToldApartByTheirIds) {
    const Uuid first = register_worker("web");
    const Uuid second = register_worker("web");
    const Ran ran = holdfast({"workers", "cordon", "web"});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_THAT(ran.err, AllOf(HasSubstr("'web' is more than one worker; give an id"), HasSubstr(first.to_string()),
                               HasSubstr(second.to_string())));
    EXPECT_EQ(worker(first.to_string())["cordoned"], false);
}

TEST_P(CliWorkers, ThatHaveLeftDoNotMakeANameAmbiguous) {
    store().deregister_worker(register_worker("web"));
    const Uuid present = register_worker("web");
    EXPECT_EQ(worker("web")["id"], present.to_string());
}

TEST_P(CliWorkers, CanBeRemovedOnceTheyHaveLeft) {
    const Uuid id = register_worker("web-1");
    const Ran refused = holdfast({"workers", "remove", "web-1"});
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.err, HasSubstr("has not left: 'holdfast workers drain " + id.to_string()));
    store().deregister_worker(id);
    EXPECT_EQ(holdfast({"workers", "remove", "web-1", "--json"}).json()["status"], "removed");
    EXPECT_THAT(store().workers(), IsEmpty());
}

TEST_P(CliWorkers, OfTheSameNameThatHasLeftIsTheOneToRemove) {
    const Uuid left = register_worker("web");
    store().deregister_worker(left);
    const Uuid present = register_worker("web");
    EXPECT_EQ(holdfast({"workers", "remove", "web", "--json"}).json()["id"], left.to_string());
    ASSERT_THAT(store().workers(), SizeIs(1));
    EXPECT_EQ(store().workers()[0].registration.id, present);
}

TEST_P(CliWorkers, ThatStillHoldTasksAreNotRemoved) {
    const std::string task = submit({"resize"});
    const Uuid id = register_worker("web-1");
    ASSERT_THAT(store().turn({.worker = id, .request = id, .to_start = 1}).claimed.tasks, SizeIs(1));
    store().deregister_worker(id);
    const auto shown = holdfast({"workers", "show", "web-1", "--json"}).json();
    EXPECT_EQ(shown["tasks"][0]["id"], task);
    EXPECT_EQ(shown["tasks"][0]["state"], "RUNNING");
    const Ran ran = holdfast({"workers", "remove", "web-1"});
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_THAT(ran.err, HasSubstr("still holds tasks"));
}

TEST_P(CliWorkers, ShowTellsWhatItIsAndWhatHappenedToIt) {
    const Uuid id = register_worker("web-1");
    store().append_worker_snapshot({.worker = id,
                                    .at = {},
                                    .running = 1,
                                    .claimed = 0,
                                    .capacity = 4,
                                    .cpu_percent = 12,
                                    .memory_mb = 34,
                                    .load = 0.5});
    (void)holdfast({"workers", "cordon", "web-1"});
    const Ran ran = holdfast({"workers", "show", "web-1"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(ran.out,
                AllOf(HasSubstr(id.to_string()), HasSubstr("active, cordoned"), HasSubstr("12% of a processor"),
                      HasSubstr("34 MB"), HasSubstr("queues      default")));
    const auto json = holdfast({"workers", "show", "web-1", "--json"}).json();
    EXPECT_EQ(json["machine"]["memory_mb"], 34);
    EXPECT_FALSE(json["events"].empty());
}

}  // namespace
}  // namespace holdfast::integration
