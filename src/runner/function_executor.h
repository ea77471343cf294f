#pragma once

#include "holdfast/function.h"
#include "runner/executor.h"

namespace holdfast::runner {

/// Runs the functions of the application.
class FunctionExecutor : public Executor {
public:
    FunctionExecutor(const FunctionTable& functions, std::int64_t max_payload);
    [[nodiscard]] Outcome execute(const engine::RunOrder& order, const core::TaskSpec& spec, Pulse& pulse) override;

private:
    const FunctionTable& functions_;
    std::int64_t max_payload_;
};

}  // namespace holdfast::runner
