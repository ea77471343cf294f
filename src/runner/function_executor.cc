#include "runner/function_executor.h"

#include "runner/call_function.h"
#include "runner/run_context.h"

namespace holdfast::runner {

FunctionExecutor::FunctionExecutor(const FunctionTable& functions, std::int64_t max_payload)
    : functions_(functions), max_payload_(max_payload) {}

Outcome FunctionExecutor::execute(const engine::RunOrder& order, const core::TaskSpec& /*spec*/, Pulse& pulse) {
    RunContext context(order, pulse, max_payload_);
    const Outcome called = call_function(functions_, order.name, context, order.args);
    Outcome outcome = called.completed ? completed_with(called.result, max_payload_)
                                       : failed_with(called.error.code, called.error.message, called.error.data);
    outcome.saw_stop = called.saw_stop;
    outcome.threw_stop = called.threw_stop;
    return outcome;
}

}  // namespace holdfast::runner
