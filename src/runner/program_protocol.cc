#include "runner/program_protocol.h"

#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "core/json_text.h"
#include "runner/outcome.h"
#include "runner/run_socket.h"
#include "runner/texts.h"

namespace holdfast::runner {

namespace {

using nlohmann::json;
using Parsed = Result<ProgramMessage, std::string>;

/// What is wrong with a message.
struct Fault {
    std::string what;
};

/// The members of one message, each value as it is written. Members that are not asked for are ignored.
class Members {
public:
    Members(std::string type, std::string_view line) : type_(std::move(type)) {
        for (auto& [name, value] : core::json_members(line)) members_.try_emplace(std::move(name), value);
    }

    /// The value as it is written; empty: there is none, or it is null.
    [[nodiscard]] std::string_view raw(const std::string& name) const {
        const auto found = members_.find(name);
        return found == members_.end() || found->second == "null" ? std::string_view() : found->second;
    }
    [[nodiscard]] std::string_view required(const std::string& name) const {
        const auto found = members_.find(name);
        if (found == members_.end()) throw Fault{concat("a message \"", type_, "\" without \"", name, "\"")};
        return found->second;
    }
    [[nodiscard]] std::string text(const std::string& name, std::string fallback = {}) const {
        const std::string_view value = raw(name);
        if (value.empty()) return fallback;
        const json parsed = json::parse(value, nullptr, false);
        if (!parsed.is_string()) wrong(name, "a text");
        return parsed.get<std::string>();
    }
    [[nodiscard]] bool flag(const std::string& name) const {
        const std::string_view value = raw(name);
        if (!value.empty() && value != "true" && value != "false") wrong(name, "true or false");
        return value == "true";
    }
    [[nodiscard]] store::Lease run() const {
        (void)required("run");
        const std::string name = text("run");
        store::Lease lease = 0;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), lease);
        if (error != std::errc() || end != name.data() + name.size() || lease <= 0)
            wrong("run", "the text that its order had");
        return lease;
    }
    [[noreturn]] void wrong(const std::string& name, std::string_view allowed) const {
        throw Fault{concat("a message \"", type_, "\" whose \"", name, "\" is not ", allowed)};
    }

private:
    std::string type_;
    std::map<std::string, std::string_view, std::less<>> members_;
};

ProgramTask read_task(const Members& hello, std::string_view text) {
    const json parsed = json::parse(
        core::json_member(text, "name").empty() ? std::string_view("null") : core::json_member(text, "name"), nullptr,
        false);
    constexpr std::string_view tag_prefix = "task:";
    if (!parsed.is_string()) hello.wrong("tasks", R"(a list of objects with a "name")");
    ProgramTask task{.name = parsed.get<std::string>()};
    if (task.name.empty() || task.name.size() > max_name_bytes - tag_prefix.size())
        throw Fault{concat("a task whose name has ", task.name.size(), " bytes; allowed are 1 to ",
                           max_name_bytes - tag_prefix.size())};
    if (const auto defect = name_defect(task.name))
        throw Fault{concat("a task ", core::in_quotes(task.name), " whose name ", *defect)};
    task.schema = core::json_member(text, "schema");
    if (task.schema == "null") task.schema.clear();
    return task;
}

ProgramHello read_hello(const Members& members) {
    ProgramHello hello;
    if (members.required("protocol") != concat(program_protocol))
        throw Fault{concat("protocol ", members.required("protocol").substr(0, 20), "; this worker speaks ",
                           program_protocol, ": use an SDK of its version")};
    hello.sdk = members.text("sdk");
    hello.code = members.text("code");
    const std::string_view tasks = members.required("tasks");
    if (!tasks.starts_with('[')) members.wrong("tasks", "a list");
    std::set<std::string> names;
    for (const std::string_view each : core::json_elements(tasks)) {
        hello.tasks.push_back(read_task(members, each));
        if (!names.insert(hello.tasks.back().name).second)
            throw Fault{concat("the task ", core::in_quotes(hello.tasks.back().name), " twice")};
    }
    if (hello.tasks.size() > most_program_tasks)
        throw Fault{concat(hello.tasks.size(), " tasks; allowed are ", most_program_tasks)};
    const json concurrency = json::parse(members.raw("concurrency").empty() ? "1" : members.raw("concurrency"));
    if (!concurrency.is_number_integer() || concurrency < 1 || concurrency > most_program_concurrency)
        members.wrong("concurrency", concat("a number from 1 to ", most_program_concurrency));
    hello.concurrency = concurrency.get<int>();
    return hello;
}

ProgramEnd read_result(const Members& members, std::int64_t max_payload) {
    ProgramEnd end{completed_with(std::string(members.required("value")), max_payload)};
    end.ended.lease = members.run();
    end.ended.saw_stop = members.flag("saw_stop");
    return end;
}

ProgramEnd read_error(const Members& members) {
    const std::string code = members.text("code", std::string(error_code::task_exception));
    if (code.empty() || code.size() > max_name_bytes || name_defect(code)) members.wrong("code", "a short name");
    (void)members.required("message");
    ProgramEnd end{failed_with(code, members.text("message"), std::string(members.raw("data")))};
    end.ended.lease = members.run();
    end.ended.saw_stop = members.flag("saw_stop");
    end.ended.threw_stop = members.flag("stopped");
    return end;
}

ProgramProgress read_update(const Members& members, bool is_checkpoint, std::int64_t max_payload) {
    RunUpdate update;
    if (is_checkpoint) {
        update.checkpoint = std::string(members.required("state"));
    } else {
        const json fraction = json::parse(members.required("fraction"), nullptr, false);
        if (!fraction.is_number()) members.wrong("fraction", "a number");
        update.fraction = fraction.get<double>();
        update.text = members.text("text");
    }
    if (const auto defect = update_defect(update, max_payload)) throw Fault{concat("a bad update: ", *defect)};
    return {{.lease = members.run(),
             .fraction = update.fraction,
             .text = update.text,
             .checkpoint = std::move(update.checkpoint)}};
}

ProgramMessage read_message(std::string_view line, std::int64_t max_payload) {
    if (!json::accept(line) || line.find('{') == std::string_view::npos || line.front() != '{')
        throw Fault{concat("a line that is not a JSON object: ",
                           core::in_quotes(one_line(readable_text(line.substr(0, 200)))))};
    const json type = json::parse(core::json_member(line, "type").empty() ? std::string_view("null")
                                                                          : core::json_member(line, "type"));
    if (!type.is_string()) throw Fault{"a message without \"type\""};
    const std::string name = type.get<std::string>();
    const Members members(name, line);
    if (name == "hello") return read_hello(members);
    if (name == "result") return read_result(members, max_payload);
    if (name == "error") return read_error(members);
    if (name == "progress") return read_update(members, false, max_payload);
    if (name == "checkpoint") return read_update(members, true, max_payload);
    if (name == "log") return ProgramLog{members.run(), members.text("text")};
    if (name == "bye") return ProgramBye{members.text("reason")};
    throw Fault{concat("a message of the unknown type ", core::in_quotes(name))};
}

std::string_view word_of(engine::StopCause cause) {
    switch (cause) {
        case engine::StopCause::Drain:
            return "drain";
        case engine::StopCause::Timeout:
            return "timeout";
        case engine::StopCause::Cancel:
            return "cancel";
        case engine::StopCause::Fence:
            return "fence";
        case engine::StopCause::LeaseLost:
            return "lease_lost";
    }
    std::abort();
}

std::string as_json(std::string_view text) {
    return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

/// JSON text without line ends: between its values they are only blanks.
void append_value(std::string& line, std::string_view text) {
    const std::size_t start = line.size();
    line += text.empty() ? std::string_view("null") : text;
    for (std::size_t at = start; (at = line.find_first_of("\r\n", at)) != std::string::npos;) line[at] = ' ';
}

std::int64_t milliseconds_of(Duration length) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(length).count();
}

}  // namespace

Parsed parse_program_line(std::string_view line, std::int64_t max_payload) {
    try {
        return read_message(line, max_payload);
    } catch (const Fault& fault) {
        return Failure{fault.what};
    }
}

std::string run_line(const engine::RunOrder& order) {
    std::string line = concat(R"({"type":"run","run":")", order.lease.lease, R"(","task":")",
                              std::string_view(order.lease.task.to_string()), R"(","name":)", as_json(order.name),
                              R"(,"attempt":)", order.attempt, R"(,"timeout_ms":)", milliseconds_of(order.timeout));
    if (!order.traceparent.empty()) line += concat(R"(,"traceparent":)", as_json(order.traceparent));
    if (!order.checkpoint.empty()) {
        line += R"(,"checkpoint":)";
        append_value(line, order.checkpoint);
    }
    line += R"(,"args":)";
    append_value(line, order.args);
    line += "}\n";
    return line;
}

std::string stop_line(store::Lease lease, engine::StopCause cause, Duration grace) {
    return concat(R"({"type":"stop","run":")", lease, R"(","reason":")", word_of(cause), R"(","grace_ms":)",
                  milliseconds_of(grace), "}\n");
}

std::string bye_line(std::string_view reason) {
    return concat(R"({"type":"bye","reason":)", as_json(reason), "}\n");
}

}  // namespace holdfast::runner
