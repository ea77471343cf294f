#include "core/workflow/graph.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "core/workflow/order.h"

namespace holdfast::core {

namespace {

constexpr std::size_t most_names = 6;
constexpr std::size_t longest_text = 40;

using States = std::map<std::string, StepState>;

std::string shortened(const std::string& text) {
    std::size_t cut = std::min(text.find('\n'), longest_text);
    if (cut >= text.size()) return text;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) --cut;
    return concat(text.substr(0, cut), "...");
}

std::string what_it_does(const WorkflowStep& step) {
    switch (step.kind) {
        case StepKind::Task:
            if (step.spec && !step.spec_reads_args) return std::string(word_of(step.spec->kind));
            return concat("task ", step.task);
        case StepKind::Workflow:
            return concat("workflow ", step.workflow);
        case StepKind::Approval:
            return "approval";
        case StepKind::Wait:
            return step.wait_until.empty() ? concat("wait ", shortened(step.wait_for))
                                           : concat("wait until ", shortened(step.wait_until));
    }
    return "";
}

std::string join_text(const WorkflowStep& step) {
    std::vector<std::string> words;
    if (step.join.kind == JoinKind::Any) words.emplace_back("any");
    if (step.join.kind == JoinKind::Quorum) words.push_back(concat(step.join.quorum, " of ", step.depends_on.size()));
    if (step.allow_failed_deps) words.emplace_back("failures allowed");
    return words.empty() ? "" : concat(" (", join(words, ", "), ")");
}

std::string dependencies_text(const WorkflowStep& step) {
    std::vector<std::string> names = step.depends_on;
    const std::size_t more = names.size() > most_names ? names.size() - most_names + 1 : 0;
    names.resize(names.size() - more);
    const std::string end = more == 0 ? "" : concat(" and ", more, " more");
    return concat("after ", join(names, ", "), end, join_text(step));
}

std::string for_each_text(const WorkflowStep& step) {
    const std::string items =
        step.for_each->is_array() ? concat(step.for_each->size(), " items") : shortened(step.for_each->dump());
    if (step.sequential) return concat("for each of ", items, ", one after the other");
    return step.parallel == 0 ? concat("for each of ", items)
                              : concat("for each of ", items, ", ", step.parallel, " at once");
}

/// The text that follows the step's name and kind.
std::string remarks(const Workflow& workflow, const WorkflowStep& step) {
    std::vector<std::string> parts;
    if (!step.depends_on.empty()) parts.push_back(dependencies_text(step));
    if (step.for_each) parts.push_back(for_each_text(step));
    if (!step.when.empty()) parts.push_back(concat("when ", shortened(step.when)));
    if (std::ranges::find(workflow.optional, step.name) != workflow.optional.end()) parts.emplace_back("optional");
    return join(parts, "; ");
}

/// The layer of each step. Steps on or behind a cycle, which only a faulty definition has, come last.
std::vector<int> layers_of(const StepOrder& order) {
    std::vector<int> layers(order.size(), 0);
    int deepest = 0;
    for (const int step : order.sorted()) {
        int& layer = layers[static_cast<std::size_t>(step)];
        layer = 1;
        for (const int dependency : order.dependencies(step))
            layer = std::max(layer, layers[static_cast<std::size_t>(dependency)] + 1);
        deepest = std::max(deepest, layer);
    }
    for (int& layer : layers)
        if (layer == 0) layer = deepest + 1;
    return layers;
}

std::string padded(std::string text, std::size_t width) {
    text.resize(std::max(text.size(), width), ' ');
    return text;
}

std::optional<StepState> state_of(const States* states, const std::string& name) {
    if (states == nullptr || !states->contains(name)) return std::nullopt;
    return states->at(name);
}

std::string state_text(const States* states, const std::string& name) {
    const auto state = state_of(states, name);
    return state ? std::string(to_text(*state)) : "";
}

/// One line of the text form, as columns: layer, state, name, what the step does, remarks.
using Row = std::array<std::string, 5>;

/// The rows with aligned columns; a column without texts is left out.
std::string aligned(const std::vector<Row>& rows) {
    std::array<std::size_t, std::tuple_size_v<Row>> widths{};
    for (const Row& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::string text;
    for (const Row& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i)
            if (widths[i] > 0) line += concat("  ", padded(row[i], widths[i]));
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

/// Numbers the hooks of one kind when there are several, as a job does.
void add_hook_rows(std::string_view kind, const std::vector<WorkflowStep>& hooks, const States* states,
                   std::vector<Row>& rows) {
    for (std::size_t i = 0; i < hooks.size(); ++i) {
        const std::string name = hooks.size() == 1 ? std::string(kind) : concat(kind, '-', i + 1);
        rows.push_back({"", state_text(states, name), name, what_it_does(hooks[i]), "hook"});
    }
}

std::string dot_escaped(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '"' || c == '\\') escaped += '\\';
        escaped += c == '\n' ? ' ' : c;
    }
    return escaped;
}

/// The text in double quotes, escaped for Graphviz.
std::string dot_text(std::string_view text) {
    return concat('"', dot_escaped(text), '"');
}

constexpr auto colours = [] {
    using enum StepState;
    return words<StepState>({{Waiting, "white"},
                             {Ready, "lightyellow"},
                             {Running, "lightblue"},
                             {Completed, "palegreen"},
                             {Failed, "lightcoral"},
                             {Skipped, "lightgrey"},
                             {Cancelled, "plum"}});
}();

std::string dot_node(const Workflow& workflow, const WorkflowStep& step, const States* states) {
    std::string label = concat(dot_escaped(step.name), "\\n", dot_escaped(what_it_does(step)));
    std::string colour;
    if (const auto state = state_of(states, step.name)) {
        label += concat("\\n", to_text(*state));
        colour = concat(", fillcolor=", text_in(colours, *state));
    }
    const bool is_optional = std::ranges::find(workflow.optional, step.name) != workflow.optional.end();
    return concat("  ", dot_text(step.name), " [label=\"", label, "\"", colour,
                  is_optional ? ", style=\"rounded,filled,dashed\"" : "", "];\n");
}

std::string dot_edges(const WorkflowStep& step) {
    const bool is_plain = step.join.kind == JoinKind::All && !step.allow_failed_deps;
    std::string text;
    for (const std::string& dependency : step.depends_on)
        text +=
            concat("  ", dot_text(dependency), " -> ", dot_text(step.name), is_plain ? "" : " [style=dashed]", ";\n");
    return text;
}

}  // namespace

std::string graph_text(const Workflow& workflow, const States* states) {
    const StepOrder order(workflow);
    const std::vector<int> layers = layers_of(order);
    std::vector<std::size_t> by_layer(layers.size());
    for (std::size_t i = 0; i < by_layer.size(); ++i) by_layer[i] = i;
    std::stable_sort(by_layer.begin(), by_layer.end(),
                     [&](std::size_t left, std::size_t right) { return layers[left] < layers[right]; });
    std::vector<Row> rows;
    int layer = 0;
    for (const std::size_t i : by_layer) {
        const WorkflowStep& step = workflow.steps[i];
        const bool is_first = layers[i] != layer;
        layer = layers[i];
        rows.push_back({is_first ? std::to_string(layer) : "", state_text(states, step.name), step.name,
                        what_it_does(step), remarks(workflow, step)});
    }
    add_hook_rows("on_success", workflow.on_success, states, rows);
    add_hook_rows("on_error", workflow.on_failure, states, rows);
    add_hook_rows("on_cancel", workflow.on_cancel, states, rows);
    const std::size_t count = workflow.steps.size();
    return concat(workflow.name, ": ", count, count == 1 ? " step\n" : " steps\n", aligned(rows));
}

std::string graph_dot(const Workflow& workflow, const States* states) {
    std::string text = concat("digraph ", dot_text(workflow.name),
                              " {\n  rankdir=LR;\n  node [shape=box, style=\"rounded,filled\", fillcolor=white];\n");
    for (const WorkflowStep& step : workflow.steps) text += dot_node(workflow, step, states);
    for (const WorkflowStep& step : workflow.steps) text += dot_edges(step);
    return text + "}\n";
}

}  // namespace holdfast::core
