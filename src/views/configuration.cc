#include "views/configuration.h"

#include "base/assert.h"
#include "core/public_words.h"

namespace holdfast::views {

/// Shown as text: "holdfast.yaml:12".
template <>
struct Form<config::Origin> {
    static Json write(const config::Origin& origin) { return to_text(origin); }
    static void read(const Json& shape, config::Origin& origin) { origin.name = shape.get<std::string>(); }
    static Json schema() { return schema::text(); }
};

namespace {

CatalogKind kind_of(const config::TaskDefinition& task) {
    if (!task.spec) return CatalogKind::Function;
    switch (task.spec->kind) {
        case core::TaskKind::Script:
            return CatalogKind::Script;
        case core::TaskKind::Docker:
            return CatalogKind::Container;
        case core::TaskKind::Pod:
            return CatalogKind::Pod;
    }
    HOLDFAST_ASSERT(false);
}

std::optional<std::string> key_of(const config::TaskDefinition& task) {
    const auto& concurrency = task.options.concurrency;
    return concurrency ? std::optional(concurrency->key) : std::nullopt;
}

}  // namespace

Table<RetryPolicy> table(Of<RetryPolicy>) {
    static constexpr Member<RetryPolicy> members[] = {
        member<&RetryPolicy::max_attempts>("max_attempts"),
        member<&RetryPolicy::delays>("delays"),
        member<&RetryPolicy::base>("base"),
        member<&RetryPolicy::factor>("factor"),
        member<&RetryPolicy::cap>("cap"),
        member<&RetryPolicy::jitter>("jitter"),
        member<&RetryPolicy::retry_on>("retry_on"),
    };
    return {"Retry", members};
}

Table<config::TaskDefinition> table(Of<config::TaskDefinition>) {
    using Task = config::TaskDefinition;
    using Options = SubmitOptions;
    static constexpr Member<Task> members[] = {
        member<&Task::name>("name"),
        derived<kind_of>("kind"),
        member<&Task::options, &Options::queue>("queue"),
        member<&Task::options, &Options::tags>("tags"),
        member<&Task::options, &Options::priority>("priority"),
        member<&Task::options, &Options::policy, &TaskPolicy::timeout>("timeout"),
        member<&Task::options, &Options::policy, &TaskPolicy::retry>("retry"),
        member<&Task::options, &Options::policy, &TaskPolicy::on_crash>("on_crash"),
        derived<key_of>("concurrency_key"),
        derived<config::parameters_of>("parameters", "members of the arguments that its templates use"),
    };
    return {"CatalogTask", members};
}

Table<core::InputField> table(Of<core::InputField>) {
    using Field = core::InputField;
    static constexpr Member<Field> members[] = {
        member<&Field::name>("name"),
        member<&Field::type>("type"),
        member<&Field::required>("required"),
        member<&Field::default_value>("default"),
        member<&Field::allowed>("enum", or_null, "null: all values of its type"),
        member<&Field::description>("description", or_null),
    };
    return {"InputField", members};
}

Table<core::WorkflowStep> table(Of<core::WorkflowStep>) {
    using Step = core::WorkflowStep;
    static constexpr Member<Step> members[] = {
        member<&Step::name>("name"),
        member<&Step::kind>("kind"),
        member<&Step::depends_on>("depends_on"),
        member<&Step::task>("task", or_null),
        member<&Step::workflow>("workflow", or_null),
    };
    return {"CatalogStep", members};
}

Table<core::Workflow> table(Of<core::Workflow>) {
    using core::Workflow;
    static constexpr Member<Workflow> members[] = {
        member<&Workflow::name>("name"),       member<&Workflow::description>("description", or_null),
        member<&Workflow::timeout>("timeout"), member<&Workflow::input>("input"),
        member<&Workflow::steps>("steps"),
    };
    return {"CatalogWorkflow", members};
}

Table<config::Setting> table(Of<config::Setting>) {
    using config::Setting;
    static constexpr Member<Setting> members[] = {
        member<&Setting::key>("key"),
        member<&Setting::value>("value"),
        member<&Setting::origin>("origin"),
    };
    return {"Setting", members};
}

Table<config::ConfigError> table(Of<config::ConfigError>) {
    using Error = config::ConfigError;
    static constexpr Member<Error> members[] = {
        member<&Error::where>("where"),
        member<&Error::key>("key", or_null),
        member<&Error::title>("title"),
        member<&Error::found>("found", or_null),
        member<&Error::allowed>("allowed", or_null),
        member<&Error::suggestion>("suggestion", or_null),
    };
    return {"ConfigError", members};
}

Table<store::Finding> table(Of<store::Finding>) {
    using store::Finding;
    static constexpr Member<Finding> members[] = {
        member<&Finding::grade>("grade"),
        member<&Finding::what>("what"),
        member<&Finding::found>("found"),
        member<&Finding::advice>("advice", or_null),
    };
    return {"Finding", members};
}

}  // namespace holdfast::views
