#include "core/workflow/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace holdfast::core {
namespace {

using ::testing::HasSubstr;

Workflow nightly() {
    Workflow workflow;
    workflow.name = "nightly";
    workflow.steps = {
        {.name = "report", .kind = StepKind::Workflow, .workflow = "reporting", .depends_on = {"build", "each"}},
        {.name = "fetch", .task = "fetch"},
        {.name = "build", .task = "nightly.build", .depends_on = {"fetch"}},
        {.name = "each", .task = "resize", .depends_on = {"fetch"}},
        {.name = "ok", .kind = StepKind::Approval, .message = "Release?"},
        {.name = "tell", .task = "tell", .depends_on = {"report", "ok"}, .join = {JoinKind::Quorum, 1}},
    };
    workflow.steps[2].spec.emplace().script = "make";
    workflow.steps[3].for_each = nlohmann::json("{{ steps.fetch.output }}");
    workflow.steps[3].parallel = 8;
    workflow.steps[5].allow_failed_deps = true;
    workflow.steps[5].when = "input.loud";
    workflow.optional = {"tell"};
    workflow.on_failure = {{.task = "notify"}};
    return workflow;
}

TEST(WorkflowGraph, ShowsTheStepsInLayersWithWhatTheyDependOn) {
    EXPECT_EQ(graph_text(nightly(), nullptr),
              "nightly: 6 steps\n"
              "  1  fetch     task fetch\n"
              "     ok        approval\n"
              "  2  build     script              after fetch\n"
              "     each      task resize         after fetch; for each of \"{{ steps.fetch.output }}\", 8 at once\n"
              "  3  report    workflow reporting  after build, each\n"
              "  4  tell      task tell           after report, ok (1 of 2, failures allowed); when input.loud; "
              "optional\n"
              "     on_error  task notify         hook\n");
}

TEST(WorkflowGraph, ShowsTheStatesOfAJob) {
    const std::map<std::string, StepState> states{{"fetch", StepState::Completed}, {"build", StepState::Running}};
    const std::string text = graph_text(nightly(), &states);
    EXPECT_THAT(text, HasSubstr("  1  COMPLETED  fetch "));
    EXPECT_THAT(text, HasSubstr("  2  RUNNING    build "));
    EXPECT_THAT(text, HasSubstr("                on_error  task notify")) << "no state is known of it";
}

TEST(WorkflowGraph, NumbersSeveralHooksOfOneKindAsAJobDoes) {
    Workflow workflow = nightly();
    workflow.on_failure.push_back({.task = "page"});
    const std::map<std::string, StepState> states{{"on_error-2", StepState::Failed}};
    const std::string text = graph_text(workflow, &states);
    EXPECT_THAT(text, HasSubstr("on_error-1  task notify"));
    EXPECT_THAT(text, HasSubstr("FAILED  on_error-2  task page"));
}

TEST(WorkflowGraph, CutsLongListsOfDependencies) {
    Workflow workflow;
    workflow.name = "fan";
    for (int i = 0; i < 1000; ++i) workflow.steps.push_back({.name = concat("s", i), .task = "t"});
    WorkflowStep last{.name = "last", .task = "t"};
    for (const WorkflowStep& step : workflow.steps) last.depends_on.push_back(step.name);
    workflow.steps.push_back(last);
    EXPECT_THAT(graph_text(workflow, nullptr),
                HasSubstr("  2  last  task t  after s0, s1, s2, s3, s4 and 995 more\n"));
}

TEST(WorkflowGraph, ShowsEvenWhatIsOnACycle) {
    Workflow workflow;
    workflow.name = "loop";
    workflow.steps = {{.name = "a", .task = "t", .depends_on = {"b"}},
                      {.name = "b", .task = "t", .depends_on = {"a", "gone"}},
                      {.name = "c", .task = "t"}};
    EXPECT_EQ(graph_text(workflow, nullptr),
              "loop: 3 steps\n"
              "  1  c  task t\n"
              "  2  a  task t  after b\n"
              "     b  task t  after a, gone\n");
}

TEST(WorkflowGraph, IsAGraphOfGraphvizWithStatesAsColours) {
    Workflow workflow = nightly();
    workflow.name = R"(a "b" \)";
    const std::map<std::string, StepState> states{{"fetch", StepState::Failed}};
    const std::string dot = graph_dot(workflow, &states);
    EXPECT_THAT(dot, HasSubstr("digraph \"a \\\"b\\\" \\\\\" {\n"));
    EXPECT_THAT(dot, HasSubstr("  \"fetch\" [label=\"fetch\\ntask fetch\\nFAILED\", fillcolor=lightcoral];\n"));
    EXPECT_THAT(dot, HasSubstr("  \"build\" [label=\"build\\nscript\"];\n"));
    EXPECT_THAT(dot, HasSubstr("  \"fetch\" -> \"build\";\n"));
    EXPECT_THAT(dot, HasSubstr("  \"report\" -> \"tell\" [style=dashed];\n"));
    EXPECT_THAT(dot, ::testing::EndsWith("}\n"));
}

}  // namespace
}  // namespace holdfast::core
