#include "store/admission.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "core/json_text.h"
#include "core/task/task_options.h"
#include "store/list_guide.h"

namespace holdfast::store {

namespace {

using Complaint = std::optional<std::string>;

constexpr std::size_t max_message_bytes = 64 * 1024;
constexpr std::size_t max_tags = 64;
// PostgreSQL and people can both read these years.
constexpr Timestamp earliest = std::chrono::sys_days(std::chrono::year(1970) / 1 / 1);
constexpr Timestamp latest = std::chrono::sys_days(std::chrono::year(9999) / 12 / 31);

Complaint text_complaint(std::string_view field, std::string_view text) {
    if (auto defect = text_defect(text)) return concat(field, " ", *defect);
    return std::nullopt;
}

Complaint name_complaint(std::string_view field, std::string_view name, std::size_t min_bytes = 1) {
    if (name.size() < min_bytes) return concat(field, " is empty");
    if (name.size() > max_short_text_bytes)
        return concat(field, " has ", name.size(), " bytes; at most ", max_short_text_bytes, " are allowed");
    if (auto defect = name_defect(name)) return concat(field, " ", *defect);
    return std::nullopt;
}

Complaint bounds_complaint(std::string_view field, std::string_view text, const Limits& limits) {
    if (text.size() > limits.max_payload_bytes)
        return concat(field, " has ", text.size(), " bytes; at most ", limits.max_payload_bytes, " are allowed");
    if (auto complaint = text_complaint(field, text)) return complaint;
    if (json_nesting(text) > max_json_nesting)
        return concat(field, " is nested deeper than ", max_json_nesting, " levels");
    return std::nullopt;
}

/// For JSON that a run has produced. A member may be given twice: refusing that would lose the run.
Complaint json_complaint(std::string_view field, std::string_view text, const Limits& limits) {
    if (auto complaint = bounds_complaint(field, text, limits)) return complaint;
    if (!nlohmann::json::accept(text)) return concat(field, " is not valid JSON");
    return std::nullopt;
}

Complaint range_complaint(std::string_view field, int value, std::string_view option) {
    const auto [least, most] = core::find_option(core::task_options(), option)->range;
    if (value >= least && value <= most) return std::nullopt;
    return concat(field, " is ", value, "; allowed are ", least, " to ", most);
}

Complaint time_complaint(std::string_view field, const std::optional<Timestamp>& at) {
    if (!at || (*at >= earliest && *at <= latest)) return std::nullopt;
    return concat(field, " is outside of the years 1970 to 9999");
}

Complaint tags_complaint(const std::vector<std::string>& tags) {
    if (tags.size() > max_tags) return concat("tags are ", tags.size(), "; at most ", max_tags, " are allowed");
    for (const auto& tag : tags)
        if (auto complaint = name_complaint("a tag", tag)) return complaint;
    return std::nullopt;
}

Complaint times_complaint(const NewTask& task) {
    if (auto complaint = time_complaint("run_at", task.run_at)) return complaint;
    if (auto complaint = time_complaint("deadline", task.deadline)) return complaint;
    if (task.run_at && task.deadline && *task.deadline < *task.run_at)
        return "deadline is before run_at: the task could never start";
    return std::nullopt;
}

Complaint concurrency_complaint(const std::optional<ConcurrencyKey>& concurrency) {
    if (!concurrency) return std::nullopt;
    if (auto complaint = name_complaint("concurrency key", concurrency->key)) return complaint;
    return range_complaint("concurrency limit", concurrency->limit, "concurrency_limit");
}

Complaint policy_complaint(const TaskPolicy& policy) {
    auto defect = core::policy_defect(policy);
    if (defect.empty()) return std::nullopt;
    return defect;
}

bool is_hexadecimal(std::string_view text) {
    return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Four fields of fixed length, in lower case, with dashes between them.
Complaint traceparent_complaint(std::string_view text) {
    if (text.empty()) return std::nullopt;
    const bool is_well_formed = text.size() == 55 && text[2] == '-' && text[35] == '-' && text[52] == '-' &&
                                is_hexadecimal(text.substr(0, 2)) && is_hexadecimal(text.substr(3, 32)) &&
                                is_hexadecimal(text.substr(36, 16)) && is_hexadecimal(text.substr(53));
    if (is_well_formed) return std::nullopt;
    return "traceparent is not as W3C trace context has it: 00-<32 hexadecimal digits>-<16>-<2>, in lower case";
}

Complaint token_complaint(const NewToken& token) {
    if (token.id.is_nil()) return "the token's id is missing";
    if (auto complaint = name_complaint("the token's name", token.name)) return complaint;
    if (Uuid::parse(token.name)) return "the token's name looks like an id, and could be taken for another token's";
    if (token.hash.size() != 64 || !is_hexadecimal(token.hash))
        return "the token's hash is not a SHA-256 in hexadecimal digits";
    for (const auto& queue : token.queues)
        if (auto complaint = name_complaint("a queue of the token", queue)) return complaint;
    if (auto complaint = time_complaint("expires_at", token.expires_at)) return complaint;
    return name_complaint("the maker of the token", token.who, 0);
}

/// The first of the checks that complains; they run in order and only until then.
template <typename... Checks>
Complaint first_complaint(const Checks&... checks) {
    Complaint complaint;
    (void)((complaint = checks()).has_value() || ...);
    return complaint;
}

FinishedRun failed_instead(FinishedRun run, std::string_view code, std::string message) {
    run.end = core::LeaseEnd::Failed;
    run.result.clear();
    run.error = {std::string(code), std::move(message), ""};
    return run;
}

std::string storable_error_data(const std::string& data, const Limits& limits) {
    if (data.empty()) return data;
    if (data.size() > limits.max_payload_bytes) {
        nlohmann::json note = {{"omitted", concat("error data of ", data.size(), " bytes; at most ",
                                                  limits.max_payload_bytes, " are kept")}};
        return note.dump();
    }
    if (!json_complaint("error data", data, limits)) return data;
    return nlohmann::json({{"unreadable", readable_text(data, max_message_bytes)}}).dump();
}

/// The length of the valid UTF-8 sequence (without NUL) at the start of `text`; 0 when there is none.
std::size_t sequence_length(std::string_view text) {
    for (std::size_t length = 1; length <= std::min<std::size_t>(4, text.size()); ++length)
        if (!text_defect(text.substr(0, length))) return length;
    return 0;
}

}  // namespace

std::optional<std::string> id_complaint(const Uuid& id) {
    if (id.is_nil()) return "id is missing";
    if ((id.bytes()[6] >> 4) != 7) return concat("id ", id.to_string(), " is not a UUIDv7");
    return std::nullopt;
}

std::optional<std::string> payload_complaint(std::string_view field, std::string_view text, const Limits& limits) {
    if (auto complaint = bounds_complaint(field, text, limits)) return complaint;
    const auto fault = core::json_fault(text);
    if (!fault) return std::nullopt;
    const bool is_member = !fault->where.empty() && fault->where.front() != '[';
    return concat(field, is_member ? "." : "", fault->where, " ", fault->problem);
}

std::optional<std::string> refusal(const NewTask& task, const Limits& limits) {
    return first_complaint(
        [&] { return id_complaint(task.id); },  //
        [&] { return name_complaint("name", task.name); },
        [&] { return payload_complaint("args", task.args, limits); },
        [&] { return task.spec.empty() ? std::nullopt : payload_complaint("spec", task.spec, limits); },
        [&] { return name_complaint("queue", task.queue); },  //
        [&] { return tags_complaint(task.tags); },
        [&] { return range_complaint("priority", task.priority, "priority"); },  //
        [&] { return times_complaint(task); }, [&] { return concurrency_complaint(task.concurrency); },
        [&] { return name_complaint("idempotency key", task.idempotency_key, 0); },
        [&] { return policy_complaint(task.policy); }, [&] { return traceparent_complaint(task.traceparent); });
}

void check_queue_name(const std::string& queue) {
    if (auto complaint = name_complaint("queue", queue)) throw BadInput(*complaint);
}

void check_worker(const WorkerRegistration& worker) {
    std::vector<std::pair<std::string_view, std::string_view>> names = {{"the worker's name", worker.name}};
    for (const auto& queue : worker.queues) names.emplace_back("a queue of the worker", queue);
    for (const auto& tag : worker.tags) names.emplace_back("a tag of the worker", tag);
    for (const auto& [field, name] : names)
        if (const auto defect = name_defect(name)) throw BadInput(concat(field, " ", *defect));
}

void check_key(const core::KeyDeclaration& key) {
    if (auto complaint = concurrency_complaint(ConcurrencyKey{key.key, key.limit})) throw BadInput(*complaint);
    if (!key.is_shared()) check_queue_name(key.queue);
}

void check_remark(const std::string& who, const std::string& reason) {
    if (auto complaint = name_complaint("who orders it", who, 0)) throw BadInput(*complaint);
    if (reason.size() > max_message_bytes)
        throw BadInput(
            concat("the reason has ", reason.size(), " bytes; at most ", max_message_bytes, " are allowed"));
    if (auto complaint = text_complaint("the reason", reason)) throw BadInput(*complaint);
}

void check_token(const NewToken& token) {
    if (auto complaint = token_complaint(token)) throw BadInput(*complaint);
}

void check_schedule(const ScheduleDefinition& schedule, const Limits& limits) {
    const auto complaint = first_complaint([&] { return name_complaint("the schedule's name", schedule.name); },
                                           [&] { return json_complaint("its timing", schedule.timing, limits); },
                                           [&] { return text_complaint("its definition", schedule.definition); },
                                           [&] { return payload_complaint("its input", schedule.input, limits); });
    if (complaint) throw BadInput(*complaint);
}

bool is_too_old(const Uuid& id, Timestamp now, const Limits& limits) {
    if (!limits.terminal_retention) return false;
    const Timestamp made_at{std::chrono::milliseconds(id.unix_milliseconds())};
    return now - made_at > *limits.terminal_retention;
}

std::optional<std::string> future_complaint(const Uuid& id, Timestamp now) {
    if (id < first_id_at(now + most_clock_lead)) return std::nullopt;
    return future_complaint(id);
}

std::string future_complaint(const Uuid& id) {
    return concat("id ", id.to_string(), " is from more than ", format_duration(most_clock_lead),
                  " in the future by the store's clock; check the clocks, or use a new id");
}

std::vector<std::string> canonical_tags(std::vector<std::string> tags) {
    std::sort(tags.begin(), tags.end());
    tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
    return tags;
}

void tell_last_limits(const std::vector<NewTask>& tasks, std::vector<SubmitOutcome>& outcomes) {
    std::map<std::pair<std::string_view, std::string_view>, int> last;
    for (std::size_t i = outcomes.size(); i-- > 0;) {
        auto& limit = outcomes[i].concurrency_limit;
        if (limit) limit = last.try_emplace({tasks[i].queue, tasks[i].concurrency->key}, *limit).first->second;
    }
}

FinishedRun storable(FinishedRun run, const Limits& limits) {
    if (run.end == core::LeaseEnd::Completed) {
        if (run.result.empty()) run.result = "null";
        if (run.result.size() > limits.max_payload_bytes) {
            auto message = concat("the result has ", run.result.size(), " bytes; at most ", limits.max_payload_bytes,
                                  " are allowed");
            return failed_instead(std::move(run), error_code::result_too_large, std::move(message));
        }
        if (auto complaint = json_complaint("the result", run.result, limits))
            return failed_instead(std::move(run), error_code::result_not_storable, std::move(*complaint));
        return run;
    }
    run.error.code = readable_text(run.error.code, max_short_text_bytes);
    run.error.message = readable_text(run.error.message, max_message_bytes);
    run.error.data = storable_error_data(run.error.data, limits);
    return run;
}

std::string readable_text(std::string_view text, std::size_t max_bytes) {
    if (text.size() <= max_bytes && !text_defect(text)) return std::string(text);
    constexpr std::string_view replacement = "\xEF\xBF\xBD", marker = " [cut]";
    std::string readable;
    while (!text.empty()) {
        const auto length = sequence_length(text);
        const auto piece = length == 0 ? replacement : text.substr(0, length);
        if (readable.size() + piece.size() + marker.size() > max_bytes) return readable.append(marker);
        readable.append(piece);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return readable;
}

std::optional<std::string> refusal(const ProgressReport& report, const Limits& limits) {
    if (report.fraction && !(*report.fraction >= 0 && *report.fraction <= 1))
        return "progress is not between 0 and 1";
    if (report.text.size() > max_message_bytes)
        return concat("the progress text has more than ", max_message_bytes, " bytes");
    if (auto complaint = text_complaint("the progress text", report.text)) return complaint;
    if (report.checkpoint) return json_complaint("the checkpoint", *report.checkpoint, limits);
    return std::nullopt;
}

std::size_t json_nesting(std::string_view text) {
    std::size_t depth = 0, deepest = 0;
    bool in_text = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_text && c == '\\') ++i;
        if (c == '"') in_text = !in_text;
        if (in_text) continue;
        if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
        if ((c == ']' || c == '}') && depth > 0) --depth;
    }
    return deepest;
}

}  // namespace holdfast::store
