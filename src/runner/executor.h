#pragma once

#include <string>

#include "core/task/task_spec.h"
#include "engine/worker/runners.h"
#include "holdfast/task.h"

namespace holdfast::runner {

class Pulse;

/// How a run ended by itself, or because it was asked to.
struct Outcome {
    bool completed = false;
    bool saw_stop = false;    ///< see engine::RunEnded
    bool threw_stop = false;  ///< as well
    std::string result;       ///< JSON text, of completed
    TaskError error;          ///< of not completed
};

/// RESULT_TOO_LARGE when it has more bytes than `max_payload`.
[[nodiscard]] Outcome completed_with(std::string result, std::int64_t max_payload);
[[nodiscard]] Outcome failed_with(std::string_view code, const std::string& message, const std::string& data = {});
/// The run was cut short by the stop that it was asked for.
[[nodiscard]] Outcome interrupted();

/// Executes runs of one kind, in the runner's main thread. Its caller kills processes that a run leaves behind.
class Executor {
public:
    virtual ~Executor() = default;
    /// `spec`: of anything but a function.
    [[nodiscard]] virtual Outcome execute(const engine::RunOrder& order, const core::TaskSpec& spec,
                                          Pulse& pulse) = 0;
};

}  // namespace holdfast::runner
