#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "holdfast/task.h"
#include "holdfast/time.h"
#include "holdfast/typed_task.h"

namespace holdfast {

class Workflow;

/// What becomes of a job when a step fails. Fail: everything that can still run does, then the job is FAILED.
enum class OnStepError { Fail, Pause, Continue };

/// The output of a step, for use as the arguments of another one: the second then depends on the first.
template <JsonValue T>
class Output {
public:
    [[nodiscard]] const std::string& step() const { return step_; }

private:
    template <JsonValue>
    friend class Step;
    explicit Output(std::string step) : step_(std::move(step)) {}

    std::string step_;
};

/// A step of a workflow under construction; every call returns the step, so that calls can be chained.
/// docs/workflows.md says what each means. Texts may hold expressions: `{{ input.day }}`.
class AnyStep {
public:
    [[nodiscard]] const std::string& name() const;

    AnyStep& after(const AnyStep& other);
    AnyStep& after(std::initializer_list<std::string_view> steps);
    AnyStep& when(std::string_view expression);
    AnyStep& join_any();
    AnyStep& join_quorum(int successes);
    AnyStep& allow_failed_deps();
    AnyStep& optional();                     ///< its failure is not the job's
    AnyStep& for_each(nlohmann::json list);  ///< a list, or a text that is one expression
    AnyStep& parallel(int items);
    AnyStep& sequential();
    AnyStep& queue(std::string_view name);
    AnyStep& priority(int number);
    AnyStep& tags(std::vector<std::string> names);
    AnyStep& policy(const TaskPolicy& policy);  ///< its `unmatched` counts only where it says Fail
    AnyStep& unmatched(Unmatched what);  ///< when no worker can run it; Auto: as `recovery.unmatched_steps` says
    AnyStep& timeout(Duration length);
    AnyStep& concurrency(std::string_view key, int limit = 1);
    AnyStep& env(const std::string& variable, std::string_view value);  ///< of a script

private:
    friend class Workflow;
    struct Data;
    explicit AnyStep(std::shared_ptr<Data> data) : data_(std::move(data)) {}

    std::shared_ptr<Data> data_;
};

/// A step whose output has a known type.
template <JsonValue ResultType>
class Step : public AnyStep {
public:
    explicit Step(const AnyStep& step) : AnyStep(step) {}
    [[nodiscard]] Output<ResultType> output() const { return Output<ResultType>(name()); }
};

/// A workflow: steps of tasks, scripts, child jobs, approvals and waits, and what each waits for. The same structure
/// as in YAML, with the types of tasks checked where they are known:
///
///     // Task<FindArgs, std::vector<ResizeArgs>> find_pictures; Task<ResizeArgs, int> resize;
///     // Task<std::vector<int>, Report> report;
///     Workflow flow("thumbnails");
///     auto found = flow.step("find", find_pictures, FindArgs{"/srv"});
///     auto sizes = flow.step_for_each("resize", resize, found.output());
///     flow.step("report", report, sizes.output());
///     client.run(flow);
class Workflow {
public:
    explicit Workflow(std::string name);
    ~Workflow();
    Workflow(const Workflow&);
    Workflow& operator=(const Workflow&);
    Workflow(Workflow&&) noexcept;
    Workflow& operator=(Workflow&&) noexcept;

    [[nodiscard]] const std::string& name() const;

    /// A task with these arguments.
    template <JsonValue Args, JsonValue ResultType>
    Step<ResultType> step(const std::string& name, const Task<Args, ResultType>& task,
                          const std::type_identity_t<Args>& args) {
        return Step<ResultType>(step(name, task.name(), nlohmann::json(args)));
    }
    /// A task whose arguments are what another step returned.
    template <JsonValue Args, JsonValue ResultType>
    Step<ResultType> step(const std::string& name, const Task<Args, ResultType>& task, const Output<Args>& args) {
        AnyStep made = step(name, task.name(), whole_output(args.step()));
        made.after({args.step()});
        return Step<ResultType>(made);
    }
    /// A task for each element of what another step returned; gives the list of what they return.
    template <JsonValue Args, JsonValue ResultType>
    Step<std::vector<ResultType>> step_for_each(const std::string& name, const Task<Args, ResultType>& task,
                                                const Output<std::vector<Args>>& list) {
        AnyStep made = step(name, task.name(), nullptr);
        made.for_each(whole_output(list.step())).after({list.step()});
        return Step<std::vector<ResultType>>(made);
    }
    /// A task known by its name only; `args` may hold expressions.
    AnyStep step(const std::string& name, const std::string& task, nlohmann::json args);

    AnyStep script(const std::string& name, std::string_view text);
    AnyStep child(const std::string& name, const Workflow& workflow, nlohmann::json input = nlohmann::json::object());
    AnyStep approval(const std::string& name, std::string_view message);
    AnyStep wait(const std::string& name, Duration length);
    AnyStep wait_until(const std::string& name, std::string_view time);

    Workflow& output(nlohmann::json value);  ///< may hold expressions
    Workflow& timeout(Duration length);
    Workflow& queue_timeout(Duration length);
    Workflow& on_step_error(OnStepError action);
    /// One more case of success: COMPLETED if all these steps are.
    Workflow& success(std::vector<std::string> steps);
    /// Hooks: tasks that run once when the job has ended so. `args` null: the job's summary.
    Workflow& on_success(const std::string& task, nlohmann::json args = nullptr);
    Workflow& on_error(const std::string& task, nlohmann::json args = nullptr);
    Workflow& on_cancel(const std::string& task, nlohmann::json args = nullptr);

    /// The whole, as JSON text, children included. Throws BadInput with everything that is wrong, one line each.
    [[nodiscard]] std::string definition() const;

private:
    struct Data;
    static std::string whole_output(const std::string& step) { return "{{ steps." + step + ".output }}"; }
    AnyStep add(const std::string& name);

    std::unique_ptr<Data> data_;
};

}  // namespace holdfast
