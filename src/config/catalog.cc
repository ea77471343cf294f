#include "config/catalog.h"

#include "base/text.h"
#include "config/input_template.h"

namespace holdfast::config {

namespace {

/// Fills texts in place and keeps the error of the first one that fails.
class Filling {
public:
    explicit Filling(const nlohmann::json& args) : args_(args) {}

    void fill(std::string_view key, std::string& text) {
        auto value = fill_template(text, args_);
        if (value.ok())
            text = std::move(value).value();
        else if (fault_.empty())
            fault_ = concat(key, " ", value.error());
    }

    [[nodiscard]] const std::string& fault() const { return fault_; }

private:
    const nlohmann::json& args_;
    std::string fault_;
};

}  // namespace

Result<TaskDefinition, std::string> filled(TaskDefinition definition, const nlohmann::json& args) {
    Filling filling(args);
    if (definition.spec) {
        for (auto& [name, text] : definition.spec->env) filling.fill(concat("env.", name), text);
        for (auto& word : definition.spec->command) filling.fill("command", word);
    }
    if (definition.options.concurrency) filling.fill("concurrency_key", definition.options.concurrency->key);
    if (!filling.fault().empty()) return Failure{filling.fault()};
    return definition;
}

}  // namespace holdfast::config
