#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/workflow/plan.h"
#include "store/jobs/job_book.h"

namespace holdfast::store {

/// JSON text that was stored, read back; what cannot be read (any more) is null.
[[nodiscard]] nlohmann::json read_stored(const std::string& text);

/// The opposite: JSON text to be stored. Invalid UTF-8, which a run may have produced, is replaced.
[[nodiscard]] std::string text_of(const nlohmann::json& value);

/// What a step gave: its task's result, its child's output, its items' outputs by index (null where there is none),
/// or null.
[[nodiscard]] nlohmann::json output_of(const StepRow& step, bool is_for_each, JobBook& book, JobTables& tables);

/// What an expression of a job can name. Reads only what is asked for.
class JobScope final : public core::ExpressionScope {
public:
    /// `step` is what the expression belongs to: an item gives `item` and `index`; nullopt for the job's output.
    JobScope(const JobRow& job, const core::WorkflowPlan& plan, const std::optional<StepKey>& step, JobBook& book,
             JobTables& tables)
        : job_(job), plan_(plan), step_(step), book_(book), tables_(tables) {}

    [[nodiscard]] std::optional<nlohmann::json> find(const std::vector<std::string>& name) const override;

private:
    [[nodiscard]] std::optional<nlohmann::json> find_step(const std::string& name, const std::string& member) const;
    [[nodiscard]] std::optional<nlohmann::json> find_item(const std::string& name) const;

    const JobRow& job_;
    const core::WorkflowPlan& plan_;
    const std::optional<StepKey> step_;
    JobBook& book_;
    JobTables& tables_;
};

/// Only `input`: for texts that read a task's arguments.
class ArgsScope final : public core::ExpressionScope {
public:
    explicit ArgsScope(const nlohmann::json& args) : args_(args) {}
    [[nodiscard]] std::optional<nlohmann::json> find(const std::vector<std::string>& name) const override;

private:
    const nlohmann::json& args_;
};

/// What a hook is told about its job, and what `job` means in expressions.
[[nodiscard]] nlohmann::json summary_of(const JobRow& job);

}  // namespace holdfast::store
