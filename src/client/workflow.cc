#include "holdfast/workflow.h"

#include <map>

#include "base/text.h"
#include "core/workflow/workflow.h"
#include "holdfast/errors.h"

namespace holdfast {

struct AnyStep::Data {
    core::WorkflowStep step;
    bool is_optional = false;
};

struct Workflow::Data {
    core::Workflow workflow;  // without its steps
    std::vector<std::shared_ptr<AnyStep::Data>> steps;
    std::map<std::string, core::Workflow> children;  // and theirs

    [[nodiscard]] core::Workflow whole() const {
        core::Workflow made = workflow;
        for (const auto& data : steps) {
            made.steps.push_back(data->step);
            if (data->is_optional) made.optional.push_back(data->step.name);
        }
        return made;
    }
};

namespace {

core::OnError on_error_of(OnStepError action) {
    switch (action) {
        case OnStepError::Fail:
            return core::OnError::Fail;
        case OnStepError::Pause:
            return core::OnError::Pause;
        case OnStepError::Continue:
            return core::OnError::Continue;
    }
    return core::OnError::Fail;
}

core::WorkflowStep hook_of(const std::string& task, nlohmann::json args) {
    core::WorkflowStep hook;
    hook.name = task;
    hook.task = task;
    hook.input = std::move(args);
    return hook;
}

}  // namespace

const std::string& AnyStep::name() const {
    return data_->step.name;
}

AnyStep& AnyStep::after(const AnyStep& other) {
    return after({other.name()});
}

AnyStep& AnyStep::after(std::initializer_list<std::string_view> steps) {
    for (const auto name : steps) data_->step.depends_on.emplace_back(name);
    return *this;
}

AnyStep& AnyStep::when(std::string_view expression) {
    data_->step.when = expression;
    return *this;
}

AnyStep& AnyStep::join_any() {
    data_->step.join = {core::JoinKind::Any, 0};
    return *this;
}

AnyStep& AnyStep::join_quorum(int successes) {
    data_->step.join = {core::JoinKind::Quorum, successes};
    return *this;
}

AnyStep& AnyStep::allow_failed_deps() {
    data_->step.allow_failed_deps = true;
    return *this;
}

AnyStep& AnyStep::optional() {
    data_->is_optional = true;
    return *this;
}

AnyStep& AnyStep::for_each(nlohmann::json list) {
    data_->step.for_each = std::move(list);
    return *this;
}

AnyStep& AnyStep::parallel(int items) {
    data_->step.parallel = items;
    return *this;
}

AnyStep& AnyStep::sequential() {
    data_->step.sequential = true;
    return *this;
}

AnyStep& AnyStep::queue(std::string_view name) {
    data_->step.queue = name;
    return *this;
}

AnyStep& AnyStep::priority(int number) {
    data_->step.priority = number;
    return *this;
}

AnyStep& AnyStep::tags(std::vector<std::string> names) {
    data_->step.tags = std::move(names);
    return *this;
}

AnyStep& AnyStep::policy(const TaskPolicy& policy) {
    const auto [timeout, unmatched] = std::pair(data_->step.policy.timeout, data_->step.policy.unmatched);
    data_->step.policy = policy;
    if (!policy.timeout) data_->step.policy.timeout = timeout;
    if (policy.unmatched == Unmatched::Wait) data_->step.policy.unmatched = unmatched;  // the default of tasks
    return *this;
}

AnyStep& AnyStep::unmatched(Unmatched what) {
    data_->step.policy.unmatched = what;
    return *this;
}

AnyStep& AnyStep::timeout(Duration length) {
    data_->step.policy.timeout = length;
    return *this;
}

AnyStep& AnyStep::concurrency(std::string_view key, int limit) {
    data_->step.concurrency_key = key;
    data_->step.concurrency_limit = limit;
    return *this;
}

AnyStep& AnyStep::env(const std::string& variable, std::string_view value) {
    data_->step.env[variable] = value;
    return *this;
}

Workflow::Workflow(std::string name) : data_(std::make_unique<Data>()) {
    data_->workflow.name = std::move(name);
}
Workflow::~Workflow() = default;
Workflow::Workflow(const Workflow& other) : data_(std::make_unique<Data>(*other.data_)) {
    for (auto& step : data_->steps) step = std::make_shared<AnyStep::Data>(*step);
}
Workflow& Workflow::operator=(const Workflow& other) {
    return *this = Workflow(other);
}
Workflow::Workflow(Workflow&&) noexcept = default;
Workflow& Workflow::operator=(Workflow&&) noexcept = default;

const std::string& Workflow::name() const {
    return data_->workflow.name;
}

AnyStep Workflow::add(const std::string& name) {
    auto made = std::make_shared<AnyStep::Data>();
    made->step.name = name;
    data_->steps.push_back(made);
    return AnyStep(made);
}

AnyStep Workflow::step(const std::string& name, const std::string& task, nlohmann::json args) {
    AnyStep made = add(name);
    made.data_->step.task = task;
    made.data_->step.input = std::move(args);
    return made;
}

AnyStep Workflow::script(const std::string& name, std::string_view text) {
    AnyStep made = add(name);
    made.data_->step.task = name;
    made.data_->step.spec.emplace();
    made.data_->step.spec->script = text;
    return made;
}

AnyStep Workflow::child(const std::string& name, const Workflow& workflow, nlohmann::json input) {
    AnyStep made = add(name);
    made.data_->step.kind = core::StepKind::Workflow;
    made.data_->step.workflow = workflow.name();
    made.data_->step.input = std::move(input);
    data_->children.insert_or_assign(workflow.name(), workflow.data_->whole());
    for (const auto& [grandchild, definition] : workflow.data_->children)
        data_->children.insert_or_assign(grandchild, definition);
    return made;
}

AnyStep Workflow::approval(const std::string& name, std::string_view message) {
    AnyStep made = add(name);
    made.data_->step.kind = core::StepKind::Approval;
    made.data_->step.message = message;
    return made;
}

AnyStep Workflow::wait(const std::string& name, Duration length) {
    AnyStep made = add(name);
    made.data_->step.kind = core::StepKind::Wait;
    made.data_->step.wait_for = format_duration(length);
    return made;
}

AnyStep Workflow::wait_until(const std::string& name, std::string_view time) {
    AnyStep made = add(name);
    made.data_->step.kind = core::StepKind::Wait;
    made.data_->step.wait_until = time;
    return made;
}

Workflow& Workflow::output(nlohmann::json value) {
    data_->workflow.output = std::move(value);
    return *this;
}

Workflow& Workflow::timeout(Duration length) {
    data_->workflow.timeout = length;
    return *this;
}

Workflow& Workflow::queue_timeout(Duration length) {
    data_->workflow.queue_timeout = length;
    return *this;
}

Workflow& Workflow::on_step_error(OnStepError action) {
    data_->workflow.on_error = on_error_of(action);
    return *this;
}

Workflow& Workflow::success(std::vector<std::string> steps) {
    data_->workflow.success.push_back(std::move(steps));
    return *this;
}

Workflow& Workflow::on_success(const std::string& task, nlohmann::json args) {
    data_->workflow.on_success.push_back(hook_of(task, std::move(args)));
    return *this;
}

Workflow& Workflow::on_error(const std::string& task, nlohmann::json args) {
    data_->workflow.on_failure.push_back(hook_of(task, std::move(args)));
    return *this;
}

Workflow& Workflow::on_cancel(const std::string& task, nlohmann::json args) {
    data_->workflow.on_cancel.push_back(hook_of(task, std::move(args)));
    return *this;
}

std::string Workflow::definition() const {
    auto all = data_->children;
    all.insert_or_assign(name(), data_->whole());
    std::vector<std::string> complaints;
    for (const auto& [workflow, definition] : all)
        for (const auto& fault : core::workflow_faults(definition, all))
            complaints.push_back(concat("workflow ", workflow, ": ", fault.path, " ", fault.problem));
    if (!complaints.empty()) throw BadInput(join(complaints, "\n"));
    return core::to_json_text(core::bundle_of(name(), all));
}

}  // namespace holdfast
