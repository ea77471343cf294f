#include "runner/run_update.h"

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace holdfast::runner {

namespace {

constexpr std::size_t longest_text = 4096;

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

std::optional<std::string> update_defect(const RunUpdate& update, std::int64_t max_payload) {
    if (update.fraction && !(*update.fraction >= 0 && *update.fraction <= 1))
        return concat("progress must be a fraction from 0 to 1, not ", *update.fraction);
    if (update.text.size() > longest_text)
        return concat("the text of a progress may have ", longest_text, " bytes, not ", update.text.size());
    if (const auto defect = text_defect(update.text)) return "the text of the progress " + *defect;
    const auto size = static_cast<std::int64_t>(update.checkpoint ? update.checkpoint->size() : 0);
    if (size > max_payload) return concat("the checkpoint has ", size, " bytes; allowed are ", max_payload);
    return std::nullopt;
}

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
