#include "base/text.h"
#include "config/submission.h"
#include "config/workflow_file.h"
#include "server/api/definitions.h"
#include "server/api/resources.h"
#include "views/shapes.h"

namespace holdfast::api {

namespace {

Json length_or_null(const std::optional<Duration>& length) {
    return length ? Json(format_duration(*length)) : Json();
}

std::string_view kind_of(const config::TaskDefinition& definition) {
    if (!definition.spec) return "function";
    switch (definition.spec->kind) {
        case core::TaskKind::Script:
            return "script";
        case core::TaskKind::Docker:
            return "container";
        case core::TaskKind::Pod:
            break;
    }
    return "pod";
}

Json retry_shape(const RetryPolicy& retry) {
    Json delays = Json::array();
    for (const Duration delay : retry.delays) delays.push_back(format_duration(delay));
    return {{"max_attempts", retry.max_attempts},  {"delays", std::move(delays)},
            {"base", format_duration(retry.base)}, {"factor", retry.factor},
            {"cap", format_duration(retry.cap)},   {"jitter", retry.jitter},
            {"retry_on", retry.retry_on}};
}

Json shape_of(const std::string& name, const config::TaskDefinition& definition) {
    const SubmitOptions& options = definition.options;
    return {{"name", name},
            {"kind", kind_of(definition)},
            {"queue", options.queue},
            {"tags", options.tags},
            {"priority", options.priority},
            {"timeout", length_or_null(options.policy.timeout)},
            {"retry", retry_shape(options.policy.retry)},
            {"on_crash", options.policy.on_crash == OnCrash::Requeue ? "requeue" : "fail"},
            {"concurrency_key", options.concurrency ? Json(options.concurrency->key) : Json()},
            {"parameters", config::parameters_of(definition)}};
}

Json shape_of(const core::InputField& field) {
    return {{"name", field.name},
            {"type", to_text(field.type)},
            {"required", field.required},
            {"default", field.default_value ? Json(*field.default_value) : Json()},
            {"enum", field.allowed.empty() ? Json() : Json(field.allowed)},
            {"description", views::text_or_null(field.description)}};
}

Json shape_of(const core::WorkflowStep& step) {
    return {{"name", step.name},
            {"kind", to_text(step.kind)},
            {"depends_on", step.depends_on},
            {"task", views::text_or_null(step.task)},
            {"workflow", views::text_or_null(step.workflow)}};
}

Json shape_of(const core::Workflow& workflow) {
    Json input = Json::array(), steps = Json::array();
    for (const auto& field : workflow.input) input.push_back(shape_of(field));
    for (const auto& step : workflow.steps) steps.push_back(shape_of(step));
    return {{"name", workflow.name},
            {"description", views::text_or_null(workflow.description)},
            {"timeout", length_or_null(workflow.timeout)},
            {"input", std::move(input)},
            {"steps", std::move(steps)}};
}

/// The entry of that name; throws NOT_FOUND with the nearest one.
template <typename Entries>
const auto& find_entry(const Entries& entries, const std::string& name, std::string_view kind) {
    const auto found = entries.find(name);
    if (found != entries.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [each, entry] : entries) names.push_back(each);
    const auto meant = nearest_word(name, names);
    throw Problem("NOT_FOUND", concat("the server's catalog has no ", kind, " '", name, "'",
                                      meant ? concat("; did you mean ", *meant, "?") : std::string()));
}

}  // namespace

http::Reply list_catalog_tasks(Call& call) {
    Json items = Json::array();
    for (const auto& [name, definition] : call.config().tasks) items.push_back(shape_of(name, definition));
    return answer(list_of(std::move(items)));
}

http::Reply show_catalog_task(Call& call) {
    const std::string& name = call.path("name");
    return answer(shape_of(name, find_entry(call.config().tasks, name, "task")));
}

http::Reply list_catalog_workflows(Call& call) {
    Json items = Json::array();
    for (const auto& [name, workflow] : call.config().workflows) items.push_back(shape_of(workflow));
    return answer(list_of(std::move(items)));
}

http::Reply show_catalog_workflow(Call& call) {
    return answer(shape_of(find_entry(call.config().workflows, call.path("name"), "workflow")));
}

http::Reply validate_yaml(Call& call) {
    const std::string yaml = call.body_text("yaml");
    require_bearable(yaml);
    const config::Config& config = call.config();
    const auto read = config::read_workflow_text(yaml, "workflow.yaml", config.tasks, config.workflows);
    return answer({{"valid", read.ok()}, {"errors", read.ok() ? Json::array() : views::array_of(read.error())}});
}

}  // namespace holdfast::api
