#include "views/shapes.h"

#include <algorithm>

#include "base/assert.h"
#include "base/text.h"
#include "core/json_text.h"
#include "core/task/policy_text.h"

namespace holdfast::views {

namespace {

std::string plain_text(const Json& value) {
    return value.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

/// A piece of JSON that no value of the library can hold: kept as bytes, which nothing else here uses.
Json as_written(std::string_view text) {
    return Json::binary({text.begin(), text.end()});
}

void write(const Json& value, std::string& text);

template <typename Write>
void write_all(const Json& parts, char begin, char end, std::string& text, const Write& write_one) {
    text += begin;
    bool is_first = true;
    for (auto part = parts.begin(); part != parts.end(); ++part) {
        if (!std::exchange(is_first, false)) text += ',';
        write_one(part);
    }
    text += end;
}

void write(const Json& value, std::string& text) {
    if (value.is_binary()) {
        text.append(value.get_binary().begin(), value.get_binary().end());
    } else if (value.is_array()) {
        write_all(value, '[', ']', text, [&](const auto& part) { write(*part, text); });
    } else if (value.is_object()) {
        write_all(value, '{', '}', text, [&](const auto& part) {
            text += plain_text(part.key());
            text += ':';
            write(part.value(), text);
        });
    } else {
        text += plain_text(value);
    }
}

/// Makes values as Json::parse does, but for numbers that a double would change.
class ExactReader : public nlohmann::detail::json_sax_dom_parser<Json> {
public:
    explicit ExactReader(Json& value) : json_sax_dom_parser(value, /*allow_exceptions_=*/false) {}

    bool number_float(double value, const std::string& written) {
        if (core::canonical_number(plain_text(value)) == core::canonical_number(written))
            return json_sax_dom_parser::number_float(value, written);
        Json::binary_t bytes(Json::binary_t::container_type(written.begin(), written.end()));
        return binary(bytes);
    }
};

Json shape(const std::optional<Timestamp>& at) {
    return at ? Json(format_timestamp(*at)) : Json();
}

Json shape(const Uuid& id) {
    return id.is_nil() ? Json() : Json(id.to_string());
}

Json shape(const std::optional<TaskError>& error) {
    if (!error) return {};
    return {{"code", error->code}, {"message", error->message}, {"data", embedded(error->data)}};
}

Json shape(const std::optional<ConcurrencyKey>& concurrency) {
    if (!concurrency) return {};
    return {{"key", concurrency->key}, {"limit", concurrency->limit}};
}

Json shape(const std::optional<store::Progress>& progress) {
    if (!progress) return {};
    return {{"fraction", progress->fraction}, {"text", progress->text}, {"at", format_timestamp(progress->at)}};
}

Json shape(const TaskPolicy& policy) {
    const std::string text = core::encode_policy(policy);
    return text.empty() ? Json::object() : value_of(text);
}

}  // namespace

Json text_or_null(const std::string& text) {
    return text.empty() ? Json() : Json(text);
}

Json embedded(const std::string& text) {
    if (text.empty()) return {};
    Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (value.is_discarded()) return text;
    return plain_text(value) == text ? value : as_written(text);
}

std::string dump(const Json& value) {
    std::string text;
    write(value, text);
    return text;
}

std::string dump_line(const Json& value) {
    std::string text = dump(value);
    std::ranges::replace_if(
        text, [](char c) { return c == '\n' || c == '\r'; }, ' ');  // only ever between values
    return text;
}

Json value_of(const std::string& text) {
    Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    return value.is_discarded() ? Json() : value;
}

Json parse_exactly(std::string_view text) {
    Json value;
    ExactReader reader(value);
    return Json::sax_parse(text, &reader) ? value : Json(Json::value_t::discarded);
}

Json to_json_shape(const store::TaskRecord& record) {
    const store::NewTask& task = record.task;
    return {{"id", task.id.to_string()},
            {"name", task.name},
            {"state", to_text(record.state)},
            {"waits_for", text_or_null(std::string(to_text(record.waits_for)))},
            {"queue", task.queue},
            {"priority", task.priority},
            {"tags", task.tags},
            {"args", embedded(task.args)},
            {"spec", embedded(task.spec)},
            {"result", embedded(record.result)},
            {"error", shape(record.error)},
            {"created_at", format_timestamp(record.created_at)},
            {"run_at", shape(task.run_at)},
            {"deadline", shape(task.deadline)},
            {"claimed_at", shape(record.claimed_at)},
            {"started_at", shape(record.started_at)},
            {"finished_at", shape(record.finished_at)},
            {"attempts", record.history.attempts},
            {"crashes", record.history.crashes},
            {"requeues", record.history.requeues},
            {"lease", record.lease == 0 ? Json() : Json(record.lease)},
            {"worker", shape(record.worker)},
            {"cancel_requested", record.cancel_requested},
            {"retry_of", shape(task.retry_of)},
            {"idempotency_key", text_or_null(task.idempotency_key)},
            {"traceparent", text_or_null(task.traceparent)},
            {"concurrency", shape(task.concurrency)},
            {"policy", shape(task.policy)},
            {"progress", shape(record.progress)},
            {"checkpoint", embedded(record.checkpoint)}};
}

Json to_json_shape(const store::AttemptRecord& record) {
    return {{"number", record.number},
            {"end", core::to_text(record.end)},
            {"error", shape(record.error)},
            {"lease", record.lease},
            {"worker", shape(record.worker)},
            {"claimed_at", format_timestamp(record.claimed_at)},
            {"started_at", format_timestamp(record.started_at)},
            {"finished_at", format_timestamp(record.finished_at)}};
}

Json to_json_shape(const store::EventRecord& record) {
    return {{"id", record.id},
            {"at", format_timestamp(record.at)},
            {"kind", record.kind},
            {"who", record.who},
            {"message", record.message},
            {"worker", shape(record.worker)},
            {"data", embedded(record.data)}};
}

Json job_event_shape(const store::EventRecord& record) {
    Json event = to_json_shape(record);
    event["task"] = shape(record.task);
    event["job"] = shape(record.job);
    return event;
}

Json to_json_shape(const StepCounts& counts) {
    return {{"waiting", counts.waiting},     {"ready", counts.ready},   {"running", counts.running},
            {"completed", counts.completed}, {"failed", counts.failed}, {"skipped", counts.skipped},
            {"cancelled", counts.cancelled}};
}

Json to_json_shape(const JobInfo& job) {
    return {{"id", job.id.to_string()},
            {"workflow", job.workflow},
            {"state", to_text(job.state)},
            {"input", embedded(job.input)},
            {"output", embedded(job.output)},
            {"error", shape(job.error)},
            {"cancel_requested", job.cancel_requested},
            {"created_at", format_timestamp(job.created_at)},
            {"started_at", shape(job.started_at)},
            {"finished_at", shape(job.finished_at)},
            {"deadline", shape(job.deadline)},
            {"root", shape(job.root)},
            {"parent", shape(job.parent)},
            {"parent_step", text_or_null(job.parent_step)},
            {"depth", job.depth},
            {"retry_of", shape(job.retry_of)},
            {"steps", to_json_shape(job.steps)}};
}

Json to_json_shape(const StepInfo& step) {
    return {{"name", step.name},
            {"item", step.item < 0 ? Json() : Json(step.item)},
            {"hook", step.hook},
            {"kind", step.kind},
            {"state", to_text(step.state)},
            {"task", shape(step.task)},
            {"child", shape(step.child)},
            {"attempts", step.attempts},
            {"ready_at", shape(step.ready_at)},
            {"started_at", shape(step.started_at)},
            {"finished_at", shape(step.finished_at)},
            {"wakes_at", shape(step.wakes_at)},
            {"message", text_or_null(step.message)},
            {"output", embedded(step.output)},
            {"error", shape(step.error)},
            {"progress", shape(step.progress)},
            {"items", step.items.total() == 0 ? Json() : to_json_shape(step.items)}};
}

Json to_json_shape(const store::QueueRecord& record) {
    return {{"name", record.name},
            {"paused", record.paused},
            {"pending", record.pending},
            {"in_flight", record.in_flight}};
}

Json to_json_shape(const store::KeyRecord& record) {
    return {{"key", record.key.key},
            {"queue", text_or_null(record.key.queue)},
            {"shared", record.key.is_shared()},
            {"limit", record.key.limit},
            {"declared", record.declared},
            {"held", record.held},
            {"waiting", record.waiting}};
}

Json to_json_shape(const store::LogRecord& record) {
    return {{"offset", record.offset},
            {"at", format_timestamp(record.chunk.at)},
            {"lease", record.chunk.lease},
            {"stream", record.chunk.stream},
            {"text", record.chunk.text}};
}

Json to_json_shape(const store::WorkerSnapshot& snapshot) {
    return {{"at", format_timestamp(snapshot.at)}, {"running", snapshot.running},
            {"claimed", snapshot.claimed},         {"capacity", snapshot.capacity},
            {"cpu_percent", snapshot.cpu_percent}, {"memory_mb", snapshot.memory_mb},
            {"machine_load", snapshot.load}};
}

Json to_json_shape(const store::Finding& finding) {
    return {{"grade", to_text(finding.grade)},
            {"what", finding.what},
            {"found", finding.found},
            {"advice", text_or_null(finding.advice)}};
}

Json to_json_shape(const config::Setting& setting) {
    return {{"key", setting.key}, {"value", setting.value}, {"origin", to_text(setting.origin)}};
}

Json to_json_shape(const config::ConfigError& error) {
    return {{"where", to_text(error.where)},
            {"key", text_or_null(error.key)},
            {"title", error.title},
            {"found", text_or_null(error.found)},
            {"allowed", text_or_null(error.allowed)},
            {"suggestion", text_or_null(error.suggestion)}};
}

std::string_view to_text(store::Finding::Grade grade) {
    switch (grade) {
        case store::Finding::Grade::Ok:
            return "ok";
        case store::Finding::Grade::Warning:
            return "warning";
        case store::Finding::Grade::Problem:
            return "problem";
    }
    HOLDFAST_ASSERT(false);
}

}  // namespace holdfast::views
