#include <fstream>
#include <sstream>

#include "base/text.h"
#include "config/keys.h"
#include "config/values.h"
#include "core/task/task_options.h"
#include "store/check_rules.h"
#include "tests/config/loading.h"

namespace holdfast::config {

namespace {

using ::testing::HasSubstr;

/// The reference of one section, as it stands in docs/configuration.md.
std::string reference(const std::string& section) {
    std::string text =
        "| key | default | allowed | meaning | example | variable |\n"
        "|---|---|---|---|---|---|\n";
    for (const Field& field : fields()) {
        if (field.section != section) continue;
        const Value fallback = read_value(field, node_from_text(field, field.fallback)).value();
        text += concat("| `", field.name, "` | `", written(field, fallback), "` | ", allowed_values(field), " | ",
                       field.meaning, " | `", field.example, "` | `", field.variable(), "` |\n");
    }
    return text;
}

/// The reference of some keys, as it stands in docs/tasks.md, docs/workflows.md, docs/schedules.md or
/// docs/configuration.md.
template <typename Keys>
std::string reference_of(const Keys& keys) {
    std::string text = "| key | default | allowed | meaning | example |\n|---|---|---|---|---|\n";
    for (const Option& key : keys) {
        const std::string fallback = key.fallback.empty() ? "" : concat('`', key.fallback, '`');
        text += concat("| `", key.name, "` | ", fallback, " | ", allowed_values(key), " | ", key.meaning, " | `",
                       key.example, "` |\n");
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
    EXPECT_THAT(documentation("tasks.md"), HasSubstr(reference_of(task_keys())));
}

/// The reference of the flags of `holdfast submit` that are options of a task, as it stands in docs/cli.md.
std::string reference_of_flags() {
    std::string text = "| option | default | allowed | meaning |\n|---|---|---|---|\n";
    for (const core::TaskOption& option : core::task_options()) {
        const std::string fallback = option.fallback.empty() ? "" : concat('`', option.fallback, '`');
        text += concat("| `", option.flag, "` | ", fallback, " | ", allowed_values(option), " | ",
                       core::meaning_with(&core::TaskOption::flag, option), " |\n");
    }
    return text;
}

TEST_F(Documentation, HoldsTheReferenceOfTheFlagsOfSubmit) {
    EXPECT_THAT(documentation("cli.md"), HasSubstr(reference_of_flags()));
}

TEST_F(Documentation, HoldsTheRulesOfCheck) {
    std::string table = "| rule | what holds |\n|---|---|\n";
    for (const store::RuleText& rule : store::check_rules)
        table += concat("| `", rule.name, "` | ", rule.sentence, " |\n");
    EXPECT_THAT(documentation("cli.md"), HasSubstr(table));
}

TEST_F(Documentation, NamesTheMemberOfTheApiForEachOptionOfATask) {
    for (const core::TaskOption& option : core::task_options()) {
        const std::string member = option.member.substr(option.member.find('.') + 1);
        EXPECT_THAT(documentation("api.md"), HasSubstr(concat('"', member, '"'))) << option.name;
    }
}

TEST_F(Documentation, HoldsTheReferenceOfTheKeysOfWorkflows) {
    EXPECT_THAT(documentation("workflows.md"), HasSubstr(reference_of(workflow_keys())));
    EXPECT_THAT(documentation("workflows.md"), HasSubstr(reference_of(input_keys())));
    EXPECT_THAT(documentation("workflows.md"), HasSubstr(reference_of(step_keys())));
}

TEST_F(Documentation, HoldsTheReferenceOfTheKeysOfSchedules) {
    EXPECT_THAT(documentation("schedules.md"), HasSubstr(reference_of(schedule_keys())));
}

TEST_F(Documentation, HoldsTheReferenceOfTheKeysOfKeys) {
    EXPECT_THAT(documentation(), HasSubstr(reference_of(key_keys())));
}

TEST_F(Documentation, GivesEachKeyOfAScheduleAnExampleThatIsValid) {
    for (const Option& key : schedule_keys()) {
        const std::string_view name = key.name;
        const bool says_what = name == "workflow" || name == "task";
        const bool says_when = name == "cron" || name == "every";
        write(concat("workflows: {nightly: {steps: {s: {task: t}}}}\nschedules: {s: {", says_what ? "" : "task: t, ",
                     says_when ? "" : "cron: \"@daily\", ", name, ": ", key.example, "}}\n"));
        EXPECT_TRUE(load().ok()) << name << join(complaints(), "\n");
    }
}

/// What else stands in a step with this key, or nothing would be valid.
std::string company_of(const Option& key) {
    const std::string_view name = key.name;
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
    for (const Option& key : step_keys()) {
        write(concat("workflows: {", child, ", w: {steps: {", steps, ", s: {", company_of(key), key.name, ": ",
                     key.example, "}}}}\n"));
        EXPECT_TRUE(load().ok()) << key.name << join(complaints(), "\n");
    }
    for (const Option& key : workflow_keys()) {
        const std::string company = key.name == "steps" ? "" : concat("steps: {", steps, "}, ");
        write(concat("workflows: {w: {", company, key.name, ": ", key.example, "}}\n"));
        EXPECT_TRUE(load().ok()) << key.name << join(complaints(), "\n");
    }
}

TEST_F(Documentation, SaysOfEachKeyOfATaskTheDefaultThatADefinitionHas) {
    write("tasks: {x: {script: ls, concurrency_key: k}}\n");
    const TaskDefinition untouched = accepted().tasks.at("x");
    for (const TaskKey& key : task_keys()) {
        if (key.fallback.empty()) continue;
        write(concat("tasks: {x: {script: ls, concurrency_key: k, ", key.name, ": ", key.fallback, "}}\n"));
        TaskDefinition written = accepted().tasks.at("x");
        EXPECT_EQ(written, untouched) << key.name;
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

TEST_F(Documentation, SaysOfEachFieldWhatItMeansInASentence) {
    for (const Field& field : fields()) EXPECT_TRUE(field.meaning.ends_with('.')) << field.key();
}

TEST_F(Documentation, ShowsTheErrorsAsTheyAreReported) {
    write(
        "worker:\n  max_concurent_tasks: 4\nrecovery:\n  check_interval_ms: 10\n  sweep_interval_secs: 60\n"
        "  running_stale_threshold_ms: 30000\n");
    for (const std::string& complaint : complaints()) EXPECT_THAT(documentation(), HasSubstr(complaint + "\n"));
}

}  // namespace

}  // namespace holdfast::config
