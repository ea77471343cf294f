#pragma once

#include <atomic>

#include "holdfast/context.h"
#include "holdfast/function.h"
#include "runner/outcome.h"

namespace holdfast::runner {

/// The Context of a function, which notes whether the function has seen that it was asked to stop.
class FunctionContext : public Context {
public:
    explicit FunctionContext(engine::RunOrder order);

    [[nodiscard]] const Uuid& id() const final { return order_.lease.task; }
    [[nodiscard]] int attempt() const final { return order_.attempt; }
    [[nodiscard]] std::int64_t lease() const final { return order_.lease.lease; }
    [[nodiscard]] Timestamp deadline() const final { return deadline_; }
    [[nodiscard]] std::optional<nlohmann::json> last_checkpoint() const final;
    [[nodiscard]] std::string_view traceparent() const final { return order_.traceparent; }
    [[nodiscard]] bool cancelled() const final;
    void complete_anyway() final { insists_ = true; }
    using Context::complete_anyway;

    [[nodiscard]] const engine::RunOrder& order() const { return order_; }
    /// cancelled() has returned true, or the run's own processes were told to stop.
    [[nodiscard]] bool has_seen_stop() const { return saw_stop_ || were_processes_told(); }
    [[nodiscard]] bool insists_on_its_value() const { return insists_; }

private:
    [[nodiscard]] virtual bool is_asked_to_stop() const = 0;
    [[nodiscard]] virtual bool were_processes_told() const { return false; }

    const engine::RunOrder order_;
    const Timestamp deadline_;
    mutable std::atomic<bool> saw_stop_ = false;
    std::atomic<bool> insists_ = false;
};

/// Calls the function that is registered under the name in the context's order, with its JSON text. What it throws
/// becomes TASK_EXCEPTION with the type and the message; text that is not JSON is ARGS_NOT_READABLE. Stopped becomes
/// TASK_EXCEPTION too, with `threw_stop` set: the error counts only if the run was not asked to stop. Does not throw.
[[nodiscard]] Outcome call_function(const FunctionTable& functions, FunctionContext& context);

}  // namespace holdfast::runner
