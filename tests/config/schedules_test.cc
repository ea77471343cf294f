#include "base/text.h"
#include "config/keys.h"
#include "core/calendar/schedule.h"
#include "tests/config/loading.h"

namespace holdfast::config {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

class SchedulesFile : public Loading {
protected:
    /// A file with a task, two workflows and one schedule `s`, given in braces; it stands in line 9.
    void define(const std::string& schedule) {
        write(concat(R"(tasks:
  dump: { script: ls, env: { DB: "{{ input.db }}" } }
workflows:
  nightly:
    input: { day: { type: text }, mode: { type: text, enum: [full, quick], default: full } }
    steps: { fetch: { task: fetch }, report: { workflow: report, depends_on: [fetch] } }
  report: { steps: { print: { task: print } } }
schedules:
  s: )",
                     schedule, "\n"));
    }
    [[nodiscard]] Schedule schedule() const {
        const Config config = accepted();
        EXPECT_THAT(config.schedules, SizeIs(1));
        return config.schedules.empty() ? Schedule{} : config.schedules.front();
    }
    [[nodiscard]] core::WorkflowBundle bundle() const {
        return core::parse_workflow_bundle(schedule().definition).value();
    }
    /// The only error, as a person reads it.
    [[nodiscard]] std::string complaint() const {
        const auto all = complaints();
        EXPECT_THAT(all, SizeIs(1)) << join(all, "\n");
        return all.empty() ? "" : all.front();
    }
};

// ---- What is read ------------------------------------------------------------------------------------------------

TEST_F(SchedulesFile, AreNoneWithoutTheSection) {
    EXPECT_THAT(accepted().schedules, IsEmpty());
    write("schedules:\n");
    EXPECT_THAT(accepted().schedules, IsEmpty());
}

TEST_F(SchedulesFile, EveryKeyOfTheTimingReachesIt) {
    define(
        "{ workflow: nightly, cron: \"30 2 * * MON-FRI\", zone: Europe/Berlin, overlap: cancel_previous, catch_up: 3,"
        " jitter: 5m }");
    EXPECT_EQ(core::to_json_text(schedule().timing),
              R"({"catch_up":3,"cron":"30 2 * * MON-FRI","jitter_ms":300000,"overlap":"cancel_previous",)"
              R"("zone":"Europe/Berlin"})");
    define("{ task: ping, every: 10m }");
    EXPECT_EQ(core::to_json_text(schedule().timing), R"({"interval_ms":600000})");
}

TEST_F(SchedulesFile, StandInTheOrderOfTheFile) {
    write("schedules: { b: { task: t, every: 1m }, a: { task: t, every: 1m } }\n");
    const auto schedules = accepted().schedules;
    ASSERT_THAT(schedules, SizeIs(2));
    EXPECT_EQ(schedules[0].name, "b");
    EXPECT_EQ(schedules[1].name, "a");
}

TEST_F(SchedulesFile, AWorkflowComesWithAllThatItStarts) {
    define("{ workflow: nightly, every: 1h }");
    EXPECT_EQ(bundle(), core::bundle_of("nightly", accepted().workflows));
    EXPECT_THAT(bundle().workflows, SizeIs(2));
}

TEST_F(SchedulesFile, TheInputHasTheDefaultsOfItsWorkflow) {
    define("{ workflow: nightly, every: 1h, input: { day: 2026 } }");
    EXPECT_EQ(json::parse(schedule().input), (json{{"day", "2026"}, {"mode", "full"}}));
    define("{ workflow: nightly, every: 1h }");
    EXPECT_EQ(json::parse(schedule().input), (json{{"mode", "full"}}));
}

TEST_F(SchedulesFile, ATaskOfTheCatalogBecomesAWorkflowOfOneStep) {
    define("{ task: dump, every: 1h, input: { db: orders, n: 3 } }");
    EXPECT_EQ(bundle().main, "dump");
    const core::Workflow workflow = bundle().workflows.at("dump");
    ASSERT_THAT(workflow.steps, SizeIs(1));
    const core::WorkflowStep& step = workflow.steps.front();
    EXPECT_EQ(step.name, "dump");
    EXPECT_EQ(step.task, "dump");
    ASSERT_TRUE(step.spec);
    EXPECT_TRUE(step.spec_reads_args);
    EXPECT_EQ(step.input, "{{ input }}");
    EXPECT_EQ(json::parse(schedule().input), (json{{"db", "orders"}, {"n", 3}}));
}

TEST_F(SchedulesFile, AFunctionMayHaveANameThatNoStepMay) {
    define("{ task: mail.send/all, every: 1h }");
    const core::WorkflowStep step = bundle().workflows.at("mail-send-all").steps.at(0);
    EXPECT_EQ(step.name, "mail-send-all");
    EXPECT_EQ(step.task, "mail.send/all");
    EXPECT_FALSE(step.spec);
    EXPECT_EQ(schedule().input, "{}");
}

TEST_F(SchedulesFile, MayStartWorkflowsOfADirectory) {
    std::filesystem::create_directory(directory / "flows");
    write("steps: { a: { task: a } }\n", "flows/one.yaml");
    write("workflows: flows\nschedules: { s: { workflow: one, every: 1h } }\n");
    EXPECT_EQ(bundle().main, "one");
}

// ---- What is refused ---------------------------------------------------------------------------------------------

TEST_F(SchedulesFile, AnUnknownKeyIsRefusedWithTheNearest) {
    define("{ workflow: nightly, evry: 10m }");
    EXPECT_EQ(
        complaint(),
        "holdfast.yaml:9:27: schedules.s.evry: unknown key: found \"10m\"; allowed: workflow, task, cron, every, "
        "zone, input, overlap, catch_up, jitter; did you mean every?");
}

TEST_F(SchedulesFile, ABadCronIsRefusedInItsOwnWords) {
    define("{ workflow: nightly, cron: \"61 2 * * *\" }");
    EXPECT_THAT(complaint(), AllOf(StartsWith("holdfast.yaml:9:27: schedules.s.cron: "), HasSubstr("minute"),
                                   HasSubstr("found \"61 2 * * *\"")));
}

TEST_F(SchedulesFile, ExactlyOneOfCronAndEverySaysWhen) {
    define("{ workflow: nightly }");
    EXPECT_EQ(complaint(), "holdfast.yaml:9:3: schedules.s: does not say when: one of cron, every");
    define("{ workflow: nightly, cron: \"@daily\", every: 1h }");
    EXPECT_EQ(complaint(), "holdfast.yaml:9:43: schedules.s.every: cannot stand beside cron: found \"1h\"");
}

TEST_F(SchedulesFile, ExactlyOneOfWorkflowAndTaskSaysWhat) {
    define("{ every: 1h }");
    EXPECT_EQ(complaint(), "holdfast.yaml:9:3: schedules.s: does not say what to start: one of workflow, task");
    define("{ every: 1h, workflow: nightly, task: dump }");
    EXPECT_EQ(complaint(), "holdfast.yaml:9:38: schedules.s.task: cannot stand beside workflow: found \"dump\"");
}

TEST_F(SchedulesFile, AJitterAsLongAsTheTimeBetweenTwoSlotsIsRefused) {
    define("{ workflow: nightly, every: 10m, jitter: 10m }");
    EXPECT_THAT(complaint(), StartsWith("holdfast.yaml:9:39: schedules.s.jitter: must be shorter than the time "
                                        "between two slots, 10m"));
}

TEST_F(SchedulesFile, ValuesOutOfRangeAreRefused) {
    for (const char* bad : {"every: 500ms", "every: 366d", "every: 1.0005s", "every: often",
                            "every: 1h, catch_up: 1001", "every: 1h, catch_up: -1", "every: 1h, overlap: queue"}) {
        define(concat("{ workflow: nightly, ", bad, " }"));
        EXPECT_THAT(complaint(), HasSubstr("; allowed: ")) << bad;
    }
}

TEST_F(SchedulesFile, AZoneIsAskedForAndRefusedInTheWordsOfTheAnswer) {
    params.zone_defect = [](const std::string& name) { return name == "Europe/Berlin" ? "" : "no " + name; };
    define("{ workflow: nightly, cron: \"@daily\", zone: Europe/Berlin }");
    EXPECT_EQ(schedule().timing.zone, "Europe/Berlin");
    define("{ workflow: nightly, cron: \"@daily\", zone: Europe/Bonn }");
    EXPECT_EQ(complaint(), "holdfast.yaml:9:43: schedules.s.zone: no Europe/Bonn");
}

TEST_F(SchedulesFile, AZoneHasNoMeaningForAnInterval) {
    define("{ workflow: nightly, every: 24h, zone: Europe/Berlin }");
    EXPECT_THAT(complaint(), HasSubstr("schedules.s.zone: has no meaning for every, which counts in UTC"));
}

TEST_F(SchedulesFile, AnUnknownWorkflowIsRefusedWithTheNearest) {
    define("{ workflow: nihgtly, every: 1h }");
    EXPECT_EQ(
        complaint(),
        "holdfast.yaml:9:8: schedules.s.workflow: there is no such workflow: found \"nihgtly\"; allowed: nightly, "
        "report; did you mean nightly?");
}

TEST_F(SchedulesFile, AWorkflowThatCouldNotBeReadIsNotCalledUnknown) {
    std::filesystem::create_directory(directory / "flows");
    write("steps: [", "flows/one.yaml");
    write("workflows: flows\nschedules: { s: { workflow: one, every: 1h } }\n");
    EXPECT_THAT(complaint(), HasSubstr("one.yaml"));
}

TEST_F(SchedulesFile, AnInputThatDoesNotFitIsRefusedMemberByMember) {
    define("{ workflow: nightly, every: 1h, input: { mode: slow, dya: monday } }");
    EXPECT_THAT(
        complaints(),
        ElementsAre(HasSubstr("9:38: schedules.s.input: \"mode\" must be one of \"full\", \"quick\""),
                    HasSubstr("9:38: schedules.s.input: \"dya\" is not an input of this workflow; did you mean "
                              "\"day\"?")));
    define("{ task: ping, every: 1h, input: [1] }");
    EXPECT_THAT(complaint(), HasSubstr("schedules.s.input: the input must be an object, not [1]"));
}

TEST_F(SchedulesFile, ArgumentsThatATaskOfTheCatalogNeedsMustBeThere) {
    define("{ task: dump, every: 1h }");
    EXPECT_THAT(complaint(), StartsWith("holdfast.yaml:9:3: schedules.s.input: does not fit the task dump: env.DB "));
}

TEST_F(SchedulesFile, ATaskThatCouldNotBeReadIsComplainedOfOnce) {
    write("tasks: { dump: { scirpt: ls } }\nschedules: { s: { task: dump, every: 1h } }\n");
    for (const std::string& told : complaints()) EXPECT_THAT(told, HasSubstr("holdfast.yaml:1:"));
}

TEST_F(SchedulesFile, MustBeMappings) {
    write("schedules: [nightly]\n");
    EXPECT_THAT(complaint(), HasSubstr("schedules: a list instead of a mapping"));
    define("hourly");
    EXPECT_THAT(complaint(), HasSubstr("schedules.s: a value instead of a mapping"));
}

TEST_F(SchedulesFile, EverythingIsToldAtOnce) {
    write(R"(schedules:
  a:
    workflow: none
    cron: nonsense
    overlap: never
  b:
    task: t
    every: 1ms
    input: 7
)");
    const auto told = complaints();
    ASSERT_THAT(told, SizeIs(5)) << join(told, "\n");
    const int lines[] = {3, 4, 5, 8, 9};
    for (std::size_t i = 0; i < told.size(); ++i)
        EXPECT_THAT(told[i], StartsWith(concat("holdfast.yaml:", lines[i], ":5: schedules.")));
}

}  // namespace

}  // namespace holdfast::config
