#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/result.h"

namespace holdfast::config {

/// What is wrong with the form of a text with `{{ input.x }}` in it; nullopt when nothing is.
[[nodiscard]] std::optional<std::string> template_fault(std::string_view text);

/// The text with each `{{ input.a.b }}` replaced by that member of `input` (`{{ input }}`: all of it): texts as they
/// are, everything else as JSON. The error goes on from the name of what the text is for: "needs input.db, which
/// ...".
[[nodiscard]] Result<std::string, std::string> fill_template(std::string_view text, const nlohmann::json& input);

/// The members of `input` that the text mentions: "db" for `{{ input.db.host }}`.
[[nodiscard]] std::vector<std::string> template_members(std::string_view text);

}  // namespace holdfast::config
