#include "runner/function_executor.h"

#include "runner/call_function.h"
#include "runner/run_context.h"

namespace holdfast::runner {

FunctionExecutor::FunctionExecutor(const FunctionTable& functions, std::int64_t max_payload)
    : functions_(functions), max_payload_(max_payload) {}

Outcome FunctionExecutor::execute(const engine::RunOrder& order, const core::TaskSpec& /*spec*/, Pulse& pulse) {
    RunContext context(order, pulse, max_payload_);
    CallOutcome outcome = call_function(functions_, order.name, context, order.args);
    if (outcome) return completed_with(std::move(outcome).value(), max_payload_);
    return failed_with(outcome.error().code, outcome.error().message, outcome.error().data);
}

}  // namespace holdfast::runner
