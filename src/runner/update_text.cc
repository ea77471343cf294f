#include "runner/update_text.h"

#include <nlohmann/json.hpp>

namespace holdfast::runner {

namespace {

using nlohmann::json;

std::string as_line(const json& object) {
    return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::optional<std::string> read_members(const json& object, RunUpdate& update) {
    if (!object.is_object()) return "expected a JSON object in a line";
    for (const auto& [name, value] : object.items()) {
        if (name == "progress" && value.is_number()) {
            update.fraction = value.get<double>();
        } else if (name == "text" && value.is_string()) {
            update.text = value.get<std::string>();
        } else if (name == "checkpoint") {
            update.checkpoint = value.dump();
        } else {
            return "unexpected \"" + name + "\"; allowed: progress (a number), text (a text), checkpoint";
        }
    }
    if (!update.fraction && !update.checkpoint) return "expected progress or checkpoint";
    return std::nullopt;
}

}  // namespace

std::string update_line(const RunUpdate& update) {
    json object = json::object();
    if (update.fraction) object["progress"] = *update.fraction;
    if (!update.text.empty()) object["text"] = update.text;
    if (update.checkpoint) object["checkpoint"] = json::parse(*update.checkpoint, nullptr, false);
    return as_line(object);
}

Result<RunUpdate, std::string> parse_update(const std::string& line, std::int64_t max_payload) {
    const json object = json::parse(line, nullptr, false);
    RunUpdate update;
    if (auto defect = read_members(object, update)) return Failure{std::move(*defect)};
    if (auto defect = update_defect(update, max_payload)) return Failure{std::move(*defect)};
    return update;
}

std::string answer_line(const std::optional<std::string>& error) {
    return as_line(error ? json{{"error", *error}} : json::object());
}

std::optional<std::string> parse_answer(const std::string& line) {
    const json answer = json::parse(line, nullptr, false);
    if (!answer.is_object()) return "the runner hung up";
    if (!answer.contains("error")) return std::nullopt;
    return answer.value("error", "");
}

}  // namespace holdfast::runner
