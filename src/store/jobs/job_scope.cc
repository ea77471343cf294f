#include "store/jobs/job_scope.h"

#include "base/text.h"
#include "store/admission.h"

namespace holdfast::store {

namespace {

using Json = nlohmann::json;

Json error_json(const TaskError& error) {
    return {{"code", error.code}, {"message", error.message}, {"data", read_stored(error.data)}};
}

/// What ended tasks returned, by task.
std::map<Uuid, Json> results_of(const std::vector<Uuid>& tasks, JobTables& tables) {
    std::map<Uuid, Json> results;
    for (const auto& end : tables.task_ends(tasks))
        if (end.result) results[end.task] = read_stored(*end.result);
    return results;
}

Json child_output(const Uuid& child, JobBook& book) {
    const JobRow* const job = book.find_job(child);
    return job ? read_stored(job->progress.output) : Json();
}

Json item_outputs(const StepRow& step, JobBook& book, JobTables& tables) {
    const auto items = book.items(step.key.job, step.key.step);
    std::vector<Uuid> tasks, children;
    for (const auto* item : items) {
        if (!item->task.is_nil()) tasks.push_back(item->task);
        if (!item->child.is_nil()) children.push_back(item->child);
    }
    book.read_jobs(children);
    const auto results = tasks.empty() ? std::map<Uuid, Json>() : results_of(tasks, tables);
    Json outputs = Json::array();
    for (const auto* item : items) {
        if (item->state != StepState::Completed) {
            outputs.push_back(nullptr);
        } else if (item->output.empty() && !item->task.is_nil()) {
            const auto result = results.find(item->task);
            outputs.push_back(result == results.end() ? Json() : result->second);
        } else {
            outputs.push_back(output_of(*item, false, book, tables));
        }
    }
    return outputs;
}

}  // namespace

nlohmann::json read_stored(const std::string& text) {
    if (json_nesting(text) > max_json_nesting) return nullptr;
    auto value = Json::parse(text, nullptr, false);
    return value.is_discarded() ? Json() : value;
}

std::string text_of(const nlohmann::json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

nlohmann::json output_of(const StepRow& step, bool is_for_each, JobBook& book, JobTables& tables) {
    if (!step.output.empty()) return read_stored(step.output);
    if (is_for_each) return is_terminal(step.state) ? item_outputs(step, book, tables) : Json();
    if (step.state != StepState::Completed) return nullptr;
    if (!step.child.is_nil()) return child_output(step.child, book);
    if (step.task.is_nil()) return nullptr;
    const auto results = results_of({step.task}, tables);
    return results.empty() ? Json() : results.begin()->second;
}

std::optional<nlohmann::json> JobScope::find(const std::vector<std::string>& name) const {
    if (name.front() == "input") return read_stored(job_.head.input);
    if (name.front() == "job") return summary_of(job_);
    if (name.front() == "steps" && name.size() >= 3) return find_step(name[1], name[2]);
    return find_item(name.front());
}

std::optional<nlohmann::json> JobScope::find_step(const std::string& name, const std::string& member) const {
    const auto number = plan_.find_step(name);
    if (!number) return std::nullopt;
    const StepRow* const row = book_.find_step({job_.head.id, *number, -1});
    if (!row) return std::nullopt;
    if (member == "status") return Json(to_text(row->state));
    if (member == "output") return output_of(*row, plan_.step(*number).for_each.has_value(), book_, tables_);
    if (member != "error") return std::nullopt;
    if (row->error) return error_json(*row->error);
    if (row->task.is_nil()) return Json();
    const auto ends = tables_.task_ends({row->task});
    return ends.empty() || !ends.front().error ? Json() : error_json(*ends.front().error);
}

std::optional<nlohmann::json> JobScope::find_item(const std::string& name) const {
    if (!step_ || step_->item < 0) return std::nullopt;
    if (name == "index") return Json(step_->item);
    if (name != "item") return std::nullopt;
    const StepRow* const row = book_.find_step(*step_);
    return row ? read_stored(row->value) : Json();
}

std::optional<nlohmann::json> ArgsScope::find(const std::vector<std::string>& name) const {
    if (name.front() != "input") return std::nullopt;
    return args_;
}

nlohmann::json summary_of(const JobRow& job) {
    const auto& progress = job.progress;
    Json summary = {{"id", job.head.id.to_string()},          {"workflow", job.head.workflow},
                    {"root", job.head.root.to_string()},      {"depth", job.head.depth},
                    {"state", to_text(progress.state)},       {"input", read_stored(job.head.input)},
                    {"output", read_stored(progress.output)}, {"created_at", format_timestamp(job.head.created_at)},
                    {"failed_steps", progress.failed_steps},  {"error", nullptr}};
    if (job.head.parent) summary["parent"] = job.head.parent->job.to_string();
    if (!job.head.retry_of.is_nil()) summary["retry_of"] = job.head.retry_of.to_string();
    if (progress.started_at) summary["started_at"] = format_timestamp(*progress.started_at);
    if (progress.finished_at) summary["finished_at"] = format_timestamp(*progress.finished_at);
    if (progress.error) summary["error"] = error_json(*progress.error);
    return summary;
}

}  // namespace holdfast::store
