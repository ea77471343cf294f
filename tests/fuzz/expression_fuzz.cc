#include <cstdint>
#include <string>

#include "core/expression/template.h"
#include "tests/fuzz/require.h"

namespace {

using namespace holdfast::core;
using nlohmann::json;

class FuzzScope : public ExpressionScope {
public:
    [[nodiscard]] std::optional<json> find(const std::vector<std::string>& name) const override {
        static const json input = json::parse(R"({"a": [1, -2.5, "t", null, {"b": true}], "b": "text", "n": 7,
                                                  "huge": 18446744073709551615, "least": -9223372036854775808})");
        if (name.front() == "input") return input;
        if (name.front() == "steps" && name.at(2) == "output") return json{{"step", name.at(1)}};
        if (name.front() == "index") return 3;
        return std::nullopt;
    }
};

void check_expression(std::string_view text) {
    const auto expression = Expression::parse(text);
    if (!expression.ok()) return require(expression.error().position <= text.size());
    for (const Reference& reference : expression->references()) require(reference.position < text.size());
    const auto value = expression->evaluate(FuzzScope());
    if (!value.ok()) return require(value.error().position < text.size());
    require(*value == *expression->evaluate(FuzzScope()));
}

void check_template(std::string_view text) {
    const auto parsed = Template::parse(json::array({std::string(text)}));
    if (!parsed.ok()) return require(parsed.error().front().error.position <= text.size());
    const auto filled = parsed->fill(FuzzScope());
    if (!filled.ok()) return require(filled.error().error.position < text.size());
    if (parsed->is_constant()) require(filled->front().get<std::string>() == text);
}

/// A value of any shape with texts in it.
void check_nested_template(std::string_view text) {
    const json value = json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (value.is_discarded()) return;
    const auto parsed = Template::parse(value);
    if (!parsed.ok()) return require(!parsed.error().empty());
    const auto filled = parsed->fill(FuzzScope());
    if (parsed->is_constant()) require(filled.ok() && filled.value() == value);
}

}  // namespace

/// Any bytes: as an expression, as a text with expressions in it, and as JSON with such texts. Errors lie inside the
/// text, values are reproducible.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check_expression(text);
    check_template(text);
    check_template(std::string("x {{") + std::string(text) + "}}");
    check_nested_template(text);
    return 0;
}
