#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/result.h"

namespace holdfast::config {

/// Returns the syntax error of a text with `{{ input.x }}`; nullopt when it has none.
[[nodiscard]] std::optional<std::string> template_fault(std::string_view text);

/// Returns the text with each `{{ input.a.b }}` replaced by that member of `input` (`{{ input }}`: all of it). Texts
/// are inserted as they are, other values as JSON. The error continues a sentence that begins with the name of the
/// text: "needs input.db, which ...".
[[nodiscard]] Result<std::string, std::string> fill_template(std::string_view text, const nlohmann::json& input);

/// The members of `input` that the text mentions: "db" for `{{ input.db.host }}`.
[[nodiscard]] std::vector<std::string> template_members(std::string_view text);

}  // namespace holdfast::config
