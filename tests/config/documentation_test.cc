#include <fstream>
#include <sstream>

#include "base/text.h"
#include "config/fields.h"
#include "config/key_keys.h"
#include "config/schedule_keys.h"
#include "config/task_keys.h"
#include "config/values.h"
#include "config/workflow_keys.h"
#include "tests/config/loading.h"

namespace holdfast::config {

namespace {

using ::testing::HasSubstr;

/// The reference of one section, as it stands in docs/configuration.md.
std::string reference(const std::string& section) {
    std::string text =
        "| key | default | allowed | meaning | comes from | example | variable |\n"
        "|---|---|---|---|---|---|---|\n";
    for (const Field& field : fields()) {
        if (field.section != section) continue;
        const Value fallback = read_value(field, node_from_text(field, field.fallback)).value();
        text += concat("| `", field.name, "` | `", written(field, fallback), "` | ", allowed_values(field), " | ",
                       field.meaning, " | ", field.source, " | `", field.example, "` | `", field.variable(), "` |\n");
    }
    return text;
}

/// The reference of a task's keys, as it stands in docs/tasks.md.
std::string reference_of_tasks() {
    std::string text = "| key | default | allowed | meaning | example |\n|---|---|---|---|---|\n";
    for (const TaskKey& key : task_keys()) {
        const Field& field = key.field;
        const std::string fallback = field.fallback.empty() ? "" : concat('`', field.fallback, '`');
        text += concat("| `", field.name, "` | ", fallback, " | ", allowed_values(field), " | ", field.meaning,
                       " | `", field.example, "` |\n");
    }
    return text;
}

/// The reference of some keys of workflows or schedules, as it stands in docs/workflows.md or docs/schedules.md.
std::string reference_of(std::span<const WorkflowKey> keys) {
    std::string text = "| key | default | allowed | meaning | example |\n|---|---|---|---|---|\n";
    for (const WorkflowKey& key : keys) {
        const Field& field = key.field;
        const std::string fallback = field.fallback.empty() ? "" : concat('`', field.fallback, '`');
        text += concat("| `", field.name, "` | ", fallback, " | ", key.allowed(), " | ", field.meaning, " | `",
                       field.example, "` |\n");
    }
    return text;
}

std::string documentation(const std::string& name = "configuration.md") {
    std::ifstream file(std::string(DOCS_DIRECTORY "/") + name);
    std::stringstream content;
    content << file.rdbuf();
    return content.str();
}

/// The blocks of YAML in the documentation.
std::vector<std::string> examples() {
    static const std::string opening = "```yaml\n";
    const std::string text =
        documentation() + documentation("tasks.md") + documentation("workflows.md") + documentation("schedules.md");
    std::vector<std::string> found;
    for (std::size_t at = 0; (at = text.find(opening, at)) != std::string::npos;) {
        at += opening.size();
        found.push_back(text.substr(at, text.find("```", at) - at));
    }
    return found;
}

class Documentation : public Loading {};

TEST_F(Documentation, HoldsTheReferenceThatTheFieldsGive) {
    for (const std::string& section : field_sections()) EXPECT_THAT(documentation(), HasSubstr(reference(section)));
}

TEST_F(Documentation, HoldsTheReferenceOfTheKeysOfTasks) {
    EXPECT_THAT(documentation("tasks.md"), HasSubstr(reference_of_tasks()));
}

TEST_F(Documentation, HoldsTheReferenceOfTheKeysOfWorkflows) {
    for (const auto keys : {workflow_keys(), input_keys(), step_keys()})
        EXPECT_THAT(documentation("workflows.md"), HasSubstr(reference_of(keys)));
}

TEST_F(Documentation, HoldsTheReferenceOfTheKeysOfSchedules) {
    EXPECT_THAT(documentation("schedules.md"), HasSubstr(reference_of(schedule_keys())));
}

TEST_F(Documentation, HoldsTheReferenceOfTheKeysOfKeys) {
    EXPECT_THAT(documentation(), HasSubstr(reference_of(key_keys())));
}

TEST_F(Documentation, GivesEachKeyOfAScheduleAnExampleThatIsValid) {
    for (const WorkflowKey& key : schedule_keys()) {
        const std::string_view name = key.field.name;
        const bool says_what = name == "workflow" || name == "task";
        const bool says_when = name == "cron" || name == "every";
        write(concat("workflows: {nightly: {steps: {s: {task: t}}}}\nschedules: {s: {", says_what ? "" : "task: t, ",
                     says_when ? "" : "cron: \"@daily\", ", name, ": ", key.field.example, "}}\n"));
        EXPECT_TRUE(load().ok()) << name << join(complaints(), "\n");
    }
}

/// What else stands in a step with this key, or nothing would be valid.
std::string company_of(const WorkflowKey& key) {
    const std::string_view name = key.field.name;
    const bool is_subject =
        name == "task" || name == "docker" || name == "workflow" || name == "approval" || name == "wait";
    std::string company = is_subject ? "" : "task: t, ";
    if (name == "join" || name == "allow_failed_deps") company += "depends_on: [fetch, report, cached], ";
    if (name == "parallel" || name == "sequential") company += "for_each: [1], ";
    if (name == "for_each") company += "depends_on: [fetch], ";
    return company;
}

TEST_F(Documentation, GivesEachKeyOfAWorkflowAndOfAStepAnExampleThatIsValid) {
    const std::string steps = "fetch: {task: t}, report: {task: t}, cached: {task: t}, notify: {task: t}";
    const std::string child = "report: {steps: {r: {task: t}}}";
    for (const WorkflowKey& key : step_keys()) {
        write(concat("workflows: {", child, ", w: {steps: {", steps, ", s: {", company_of(key), key.field.name, ": ",
                     key.field.example, "}}}}\n"));
        EXPECT_TRUE(load().ok()) << key.field.name << join(complaints(), "\n");
    }
    for (const WorkflowKey& key : workflow_keys()) {
        const std::string company = key.field.name == "steps" ? "" : concat("steps: {", steps, "}, ");
        write(concat("workflows: {w: {", company, key.field.name, ": ", key.field.example, "}}\n"));
        EXPECT_TRUE(load().ok()) << key.field.name << join(complaints(), "\n");
    }
}

TEST_F(Documentation, SaysOfEachKeyOfATaskTheDefaultThatADefinitionHas) {
    write("tasks: {x: {script: ls, concurrency_key: k}}\n");
    const TaskDefinition untouched = accepted().tasks.at("x");
    for (const TaskKey& key : task_keys()) {
        if (key.field.fallback.empty()) continue;
        write(
            concat("tasks: {x: {script: ls, concurrency_key: k, ", key.field.name, ": ", key.field.fallback, "}}\n"));
        TaskDefinition written = accepted().tasks.at("x");
        EXPECT_EQ(written, untouched) << key.field.name;
    }
}

TEST_F(Documentation, ShowsOnlyExamplesThatAreValid) {
    ASSERT_GE(examples().size(), 3U);
    for (const std::string& example : examples()) {
        write(example);
        EXPECT_TRUE(load().ok()) << example << join(complaints(), "\n");
    }
}

TEST_F(Documentation, GivesEachFieldAnExampleThatIsValid) {
    for (const Field& field : fields()) {
        const std::string_view company = field.name == "tls_key"           ? ", tls_certificate: a.crt"
                                         : field.name == "tls_certificate" ? ", tls_key: a.key"
                                                                           : "";
        write(concat(field.section, ": {", field.name, ": ", field.example, company, "}\n"));
        EXPECT_THAT(shown(field.key()), HasSubstr("(holdfast.yaml:1)"));
    }
}

TEST_F(Documentation, SaysOfEachFieldWhatItMeansAndWhereItComesFrom) {
    for (const Field& field : fields()) {
        EXPECT_TRUE(field.meaning.ends_with('.')) << field.key();
        EXPECT_NE(field.source, "") << field.key();
    }
}

TEST_F(Documentation, ShowsTheErrorsAsTheyAreReported) {
    write(
        "worker:\n  max_concurent_tasks: 4\nrecovery:\n  check_interval_ms: 10\n  sweep_interval_secs: 60\n"
        "  running_stale_threshold_ms: 30000\n");
    for (const std::string& complaint : complaints()) EXPECT_THAT(documentation(), HasSubstr(complaint + "\n"));
}

}  // namespace

}  // namespace holdfast::config
