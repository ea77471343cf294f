#pragma once

#include <map>

#include "base/text.h"
#include "core/expression/expression.h"

namespace holdfast::core {

/// Values by their names, written with dots: {"input", ...}, {"steps.fetch.output", ...}.
class FixedScope : public ExpressionScope {
public:
    explicit FixedScope(std::map<std::string, nlohmann::json> values) : values_(std::move(values)) {}

    [[nodiscard]] std::optional<nlohmann::json> find(const std::vector<std::string>& name) const override {
        asked.push_back(join(name, "."));
        const auto found = values_.find(asked.back());
        if (found == values_.end()) return std::nullopt;
        return found->second;
    }

    mutable std::vector<std::string> asked;

private:
    std::map<std::string, nlohmann::json> values_;
};

/// What the examples of docs/expressions.md and of the tests are about.
inline FixedScope example_scope() {
    return FixedScope({
        {"input", nlohmann::json::parse(R"({
            "name": "Ada", "count": 3, "ratio": 0.5, "none": null, "flag": true, "a-b": 7, "größe": "10 µm",
            "db": {"host": "db1", "port": 5432}, "list": [10, "two", {"url": "u"}], "empty": [], "nothing": {},
            "huge": 18446744073709551615, "if": "word", "0": "zero"})")},
        {"item", "i1"},
        {"index", 4},
        {"job", {{"id", "j1"}, {"attempt", 1}}},
        {"steps.fetch.output", {{"url", "http://x/"}, {"rows", 12}}},
        {"steps.fetch.status", "COMPLETED"},
        {"steps.my-step.output", nullptr},
        {"steps.2nd.status", "SKIPPED"},
    });
}

}  // namespace holdfast::core
