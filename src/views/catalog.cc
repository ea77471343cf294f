#include "views/catalog.h"

#include "base/assert.h"
#include "config/submission.h"
#include "core/public_words.h"

namespace holdfast::views {

namespace {

CatalogKind kind_of(const CatalogTask& task) {
    if (!task.definition.spec) return CatalogKind::Function;
    switch (task.definition.spec->kind) {
        case core::TaskKind::Script:
            return CatalogKind::Script;
        case core::TaskKind::Docker:
            return CatalogKind::Container;
        case core::TaskKind::Pod:
            return CatalogKind::Pod;
    }
    HOLDFAST_ASSERT(false);
}

std::optional<std::string> key_of(const CatalogTask& task) {
    const auto& concurrency = task.definition.options.concurrency;
    return concurrency ? std::optional(concurrency->key) : std::nullopt;
}

std::vector<std::string> parameters_of(const CatalogTask& task) {
    return config::parameters_of(task.definition);
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

Table<CatalogTask> table(Of<CatalogTask>) {
    using Task = CatalogTask;
    using Definition = config::TaskDefinition;
    using Options = SubmitOptions;
    static constexpr Member<Task> members[] = {
        member<&Task::name>("name"),
        derived<kind_of>("kind"),
        member<&Task::definition, &Definition::options, &Options::queue>("queue"),
        member<&Task::definition, &Definition::options, &Options::tags>("tags"),
        member<&Task::definition, &Definition::options, &Options::priority>("priority"),
        member<&Task::definition, &Definition::options, &Options::policy, &TaskPolicy::timeout>("timeout"),
        member<&Task::definition, &Definition::options, &Options::policy, &TaskPolicy::retry>("retry"),
        member<&Task::definition, &Definition::options, &Options::policy, &TaskPolicy::on_crash>("on_crash"),
        derived<key_of>("concurrency_key"),
        derived<parameters_of>("parameters", "members of the arguments that its templates use"),
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

}  // namespace holdfast::views
