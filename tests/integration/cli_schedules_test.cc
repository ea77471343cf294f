#include <signal.h>

#include <thread>

#include "base/text.h"
#include "core/calendar/schedule.h"
#include "core/workflow/workflow.h"
#include "integration/workflow_program.h"

namespace holdfast::integration {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;
using testing::UnorderedElementsAreArray;

using namespace std::chrono_literals;

class CliSchedules : public WorkflowProgramTest {
protected:
    /// A schedule that starts jobs of the workflow `backup`.
    void put(const std::string& name, const std::string& timing) {
        core::Workflow workflow;
        workflow.name = "backup";
        workflow.steps.push_back({.name = "dump", .task = "dump"});
        const core::WorkflowBundle bundle{.main = "backup", .workflows = {{"backup", workflow}}};
        store().put_schedule(
            {.name = name, .timing = timing, .definition = core::to_json_text(bundle), .input = R"({"db":"orders"})"},
            "tester");
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, CliSchedules, testing::ValuesIn(all_kinds()), name_of);

TEST_P(CliSchedules, ListShowsThemByName) {
    put("nightly", R"({"cron":"30 2 * * *","zone":"Europe/Berlin"})");
    put("every", R"({"interval_ms":900000})");
    const auto lines = holdfast({"schedules", "list"}).lines();
    ASSERT_THAT(lines, SizeIs(3));
    EXPECT_THAT(lines[0], StartsWith("NAME "));
    EXPECT_THAT(lines[1], AllOf(StartsWith("every    every 15m"), HasSubstr("  backup  ")));
    EXPECT_THAT(lines[2], StartsWith("nightly  30 2 * * * in Europe/Berlin"));
    const auto shown = holdfast({"schedules", "list", "--json"}).json_lines();
    ASSERT_THAT(shown, SizeIs(2));
    EXPECT_EQ(shown[0]["name"], "every");
    EXPECT_EQ(shown[0]["workflow"], "backup");
    EXPECT_EQ(shown[0]["timing"]["interval_ms"], 900000);
    EXPECT_EQ(shown[0]["paused"], false);
    EXPECT_THAT(shown[0]["next"], SizeIs(1));
    EXPECT_TRUE(shown[0]["last_job"].is_null());
}

TEST_P(CliSchedules, ShowTellsTheNextFiveSlotsInItsZoneAndInUtc) {
    put("nightly", R"({"cron":"30 2 * * *","zone":"Asia/Kolkata","overlap":"skip"})");
    const auto next = holdfast({"schedules", "show", "nightly", "--json"}).json()["next"];
    ASSERT_THAT(next, SizeIs(5));
    for (const auto& slot : next) {
        EXPECT_THAT(std::string(slot["local"]), testing::EndsWith(" 02:30:00"));
        EXPECT_THAT(std::string(slot["at"]), testing::EndsWith("T21:00:00Z")) << "five and a half hours before";
    }
    const Ran ran = holdfast({"schedules", "show", "nightly"});
    EXPECT_THAT(ran.out, AllOf(HasSubstr("schedule    nightly"), HasSubstr("when        30 2 * * * in Asia/Kolkata"),
                               HasSubstr("overlap     skip"), HasSubstr("NEXT, IN Asia/Kolkata  IN UTC"),
                               HasSubstr(std::string(next[4]["local"]))));
}

TEST_P(CliSchedules, PauseResumeAndRemove) {
    put("nightly", R"({"cron":"30 2 * * *"})");
    EXPECT_EQ(holdfast({"schedules", "pause", "nightly", "--json"}).json(),
              (nlohmann::json{{"schedule", "nightly"}, {"status", "paused"}}));
    EXPECT_THAT(holdfast({"schedules", "list"}).out, HasSubstr("  paused"));
    EXPECT_EQ(holdfast({"schedules", "resume", "nightly"}).out, "schedule nightly starts jobs again\n");
    EXPECT_EQ(holdfast({"schedules", "show", "nightly", "--json"}).json()["paused"], false);
    EXPECT_EQ(holdfast({"schedules", "remove", "nightly"}).exit_code, 0);
    EXPECT_EQ(holdfast({"schedules", "list"}).out, "");
}

TEST_P(CliSchedules, RunNowStartsAJobBesideTheSlots) {
    put("nightly", R"({"cron":"30 2 * * *"})");
    const Ran ran = holdfast({"schedules", "run-now", "nightly"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    const auto shown = job(ran.lines().at(0))["job"];
    EXPECT_EQ(shown["workflow"], "backup");
    EXPECT_EQ(shown["input"], (nlohmann::json{{"db", "orders"}}));
    const auto second = holdfast({"schedules", "run-now", "nightly", "--json"}).json();
    EXPECT_EQ(second["schedule"], "nightly");
    EXPECT_NE(second["id"], shown["id"]);
}

TEST_P(CliSchedules, AnUnknownNameIsAnsweredWithTheNearest) {
    put("nightly", R"({"cron":"30 2 * * *"})");
    for (const char* word : {"show", "pause", "resume", "run-now", "remove"}) {
        const Ran ran = holdfast({"schedules", word, "nihgtly"});
        EXPECT_EQ(ran.exit_code, 1) << word;
        EXPECT_THAT(ran.err, HasSubstr("there is no schedule 'nihgtly' (did you mean 'nightly'?)")) << word;
    }
}

// ---- From the configuration file ----------------------------------------------------------------

/// A file with one workflow, of which it is said when.
std::string nightly_file(const std::string& when) {
    return concat(
        "workflows: { backup: { steps: { dump: { task: dump } } } }\nschedules: { nightly: { workflow: backup, ",
        when, " } }\n");
}

TEST_P(CliSchedules, ApplySaysWhatIsNewChangedAndUnchanged) {
    define(nightly_file("cron: \"30 2 * * *\", zone: Asia/Kolkata"));
    const Ran first = holdfast({"schedules", "apply"});
    EXPECT_EQ(first.exit_code, 0) << first.err;
    EXPECT_EQ(first.out, "schedule nightly is new\n");
    EXPECT_EQ(holdfast({"schedules", "apply"}).out, "schedule nightly is unchanged\n");
    define(nightly_file("cron: \"30 3 * * *\", zone: Asia/Kolkata"));
    EXPECT_EQ(holdfast({"schedules", "apply", "--json"}).json(),
              (nlohmann::json{{"schedule", "nightly"}, {"status", "changed"}}));
    const auto shown = holdfast({"schedules", "show", "nightly", "--json"}).json();
    EXPECT_EQ(shown["timing"], (nlohmann::json{{"cron", "30 3 * * *"}, {"zone", "Asia/Kolkata"}}));
    EXPECT_EQ(shown["workflow"], "backup");
}

TEST_P(CliSchedules, ADryRunOfApplyChangesNothing) {
    (void)store();
    define(nightly_file("every: 1h"));
    EXPECT_EQ(holdfast({"schedules", "apply", "--dry-run"}).out, "schedule nightly would be new\n");
    EXPECT_THAT(store().schedules(), SizeIs(0));
}

TEST_P(CliSchedules, ApplyNamesWhatOnlyTheStoreHasAndLeavesIt) {
    put("old", R"({"interval_ms":900000})");
    define(nightly_file("every: 1h"));
    EXPECT_THAT(
        holdfast({"schedules", "apply"}).lines(),
        ElementsAre("schedule nightly is new",
                    "schedule old is not in holdfast.yaml, and stays; 'holdfast schedules remove old' removes "
                    "it"));
    EXPECT_THAT(store().schedules(), SizeIs(2));
    EXPECT_EQ(holdfast({"schedules", "apply", "--json"}).json_lines().at(1)["status"], "not_configured");
}

TEST_P(CliSchedules, ApplyNeedsAFile) {
    const Ran ran = holdfast({"schedules", "apply"});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_THAT(ran.err, HasSubstr("no configuration file was read"));
}

TEST_P(CliSchedules, AnUnknownZoneIsToldWithItsLine) {
    define(nightly_file("cron: \"@daily\", zone: Europe/Berlni"));
    const Ran ran = holdfast({"config", "check"});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_THAT(ran.err, AllOf(HasSubstr("holdfast.yaml:2:"), HasSubstr("schedules.nightly.zone: unknown time zone"),
                               HasSubstr("did you mean \"Europe/Berlin\"?")));
}

// ---- With workers -------------------------------------------------------------------------------

class WorkedSchedules : public CliSchedules {
protected:
    WorkedSchedules() { (void)store(); }

    /// Schedules that make up for every slot, of a task that gives back its arguments.
    void define_every_second(const std::vector<std::string>& names) const {
        std::string yaml =
            "tasks: { echo: { script: 'printf %s \"$HOLDFAST_ARGS\" > \"$HOLDFAST_RESULT\"' } }\nschedules:\n";
        for (const std::string& name : names)
            yaml += concat("  ", name, ": { task: echo, every: 1s, catch_up: 1000, input: { from: ", name, " } }\n");
        define(yaml);
    }

    [[nodiscard]] store::ScheduleRecord record(const std::string& name) {
        for (auto& found : store().schedules())
            if (found.schedule.name == name) return std::move(found);
        return {};
    }
    /// Returns when so many slots after `since` have been decided; the test's own time limit is the bound.
    void await_slots(const std::string& name, Timestamp since, int slots) {
        while (record(name).decided_until < since + slots * 1s) std::this_thread::sleep_for(20ms);
    }
    void await_workers(std::size_t count) const {
        while (holdfast({"workers", "list", "--json"}).json_lines().size() < count) {
        }
    }

    /// Of all slots from the making of the schedule to the last that was decided.
    [[nodiscard]] std::vector<Uuid> ids_of_slots(const std::string& name) {
        const auto found = record(name);
        std::vector<Uuid> ids;
        for (Timestamp slot = std::chrono::ceil<std::chrono::seconds>(found.created_at + Duration(1));
             slot <= found.decided_until; slot += 1s)
            ids.push_back(core::slot_id(name, found.created_at, slot));
        return ids;
    }
    [[nodiscard]] std::vector<Uuid> ids_of_jobs() {
        std::vector<Uuid> ids;
        for (const auto& job : store().list_jobs({.limit = 1000})) ids.push_back(job.id);
        return ids;
    }
    /// Pauses it, so that neither changes while both are read.
    void expect_one_job_for_each_slot(const std::string& name) {
        ASSERT_TRUE(store().set_schedule_paused(name, true, "tester"));
        EXPECT_THAT(ids_of_jobs(), UnorderedElementsAreArray(ids_of_slots(name)));
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, WorkedSchedules, testing::ValuesIn(store_kinds()), name_of);

TEST_P(WorkedSchedules, AWorkerWithAFileIsAllThatTheyNeed) {
    define_every_second({"tick"});
    RunningProgram worker = start_worker();
    await_slots("tick", store().now(), 2);
    expect_one_job_for_each_slot("tick");
    const auto first = ids_of_jobs().back();
    await(first.to_string(), "COMPLETED");
    EXPECT_EQ(job(first.to_string())["job"]["output"], (nlohmann::json{{"from", "tick"}}));
    worker.send(SIGTERM);
    EXPECT_THAT(worker.finish().err, HasSubstr("The schedules of the configuration are in the store "
                                               "file=holdfast.yaml new=1 changed=0 unchanged=0"));
}

TEST_P(WorkedSchedules, AWorkerWithoutAFileChangesNothing) {
    put("nightly", R"({"cron":"30 2 * * *"})");
    const auto before = record("nightly").schedule;
    RunningProgram worker = start_worker();
    await_workers(1);
    EXPECT_THAT(store().schedules(), SizeIs(1));
    EXPECT_EQ(record("nightly").schedule, before);
}

TEST_P(WorkedSchedules, TwoWorkersStartEachSlotOnce) {
    define_every_second({"tick"});
    RunningProgram one = start_worker("one");
    RunningProgram two = start_worker("two");
    await_workers(2);
    await_slots("tick", store().now(), 3);
    expect_one_job_for_each_slot("tick");
}

TEST_P(WorkedSchedules, WhenTheWorkerThatStartsThemIsKilledAnotherGoesOnAndNoSlotIsLostOrDoubled) {
    define_every_second({"tick"});
    RunningProgram first = start_worker("first");
    await_slots("tick", store().now(), 1);
    RunningProgram second = start_worker("second");
    await_workers(2);
    first.send(SIGKILL);
    await_slots("tick", store().now(), 3);
    expect_one_job_for_each_slot("tick");
}

TEST_P(WorkedSchedules, APausedOneStartsNothingWhileOthersGoOn) {
    define_every_second({"tick", "tock"});
    RunningProgram worker = start_worker();
    await_slots("tick", store().now(), 1);
    ASSERT_EQ(holdfast({"schedules", "pause", "tick"}).exit_code, 0);
    const Timestamp paused_at = record("tick").decided_until;
    await_slots("tock", store().now(), 2);
    EXPECT_EQ(record("tick").decided_until, paused_at);
    ASSERT_EQ(holdfast({"schedules", "resume", "tick"}).exit_code, 0);
    await_slots("tick", paused_at, 2);
}

TEST_P(WorkedSchedules, RunNowStartsOneThatIsNoSlot) {
    define_every_second({"tick"});
    ASSERT_EQ(holdfast({"schedules", "apply"}).exit_code, 0);
    ASSERT_EQ(holdfast({"schedules", "pause", "tick"}).exit_code, 0);
    RunningProgram worker = start_worker();
    const std::string id = holdfast({"schedules", "run-now", "tick"}).lines().at(0);
    await(id, "COMPLETED");
    EXPECT_EQ(job(id)["job"]["output"], (nlohmann::json{{"from", "tick"}}));
    EXPECT_THAT(ids_of_jobs(), SizeIs(1));
    EXPECT_TRUE(record("tick").last_job.is_nil());
}

}  // namespace
}  // namespace holdfast::integration
