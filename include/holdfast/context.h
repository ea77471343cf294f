#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "holdfast/time.h"
#include "holdfast/uuid.h"

namespace holdfast {

/// Thrown by a function that was asked to stop and has saved its state for a later run:
///
///     if (context.cancelled()) {
///         context.checkpoint(state);
///         throw holdfast::Stopped{};
///     }
///
/// After a drain the task goes back into its queue at once, whatever its on_crash says; that costs no attempt, and
/// the next run gets the checkpoint. After a cancel the task is CANCELLED, after its timeout FAILED. Thrown by a run
/// that was not asked to stop, it is a failure like any other exception. Not a std::exception, so that handlers of
/// errors let it pass.
struct Stopped {};

/// A run, as the code that it executes sees it. Valid until the function returns; usable from several threads.
class Context {
public:
    virtual ~Context() = default;

    [[nodiscard]] virtual const Uuid& id() const = 0;
    /// 1 for the first run of the task.
    [[nodiscard]] virtual int attempt() const = 0;
    /// The fencing number of this run: greater than that of every earlier run of any task. Hand it to the systems
    /// that the run writes to, so that they can refuse an older one.
    [[nodiscard]] virtual std::int64_t lease() const = 0;
    /// When the run will be stopped, by the machine's clock.
    [[nodiscard]] virtual Timestamp deadline() const = 0;

    /// True once the run was asked to stop: by a cancel, its timeout, a draining worker, or because its lease was
    /// lost. It is killed a few seconds later (stop_grace).
    ///
    /// A RUN THAT HAS SEEN `true` COUNTS AS STOPPED, whatever it returns or throws after that: its value is taken for
    /// a part of the work, not for the result. The task is CANCELLED after a cancel; after a drain or a fence it runs
    /// again with on_crash: requeue, and is FAILED otherwise. The value is kept in the data of the error, as
    /// {"returned": value}. A function that looks here has three ways to end:
    ///
    ///     throw holdfast::Stopped{};                // stopped cleanly: after a drain the task runs again
    ///     return context.complete_anyway(value);    // the work is done in spite of the stop: COMPLETED
    ///     return value;                             // stopped, the value is only kept
    ///
    /// The value of a run that never looked, or looked before the stop came, is its result as ever. In a runner
    /// process a run has also seen the stop when processes that it started were sent SIGTERM for it.
    [[nodiscard]] virtual bool cancelled() const = 0;

    /// Says that what the function returns is the result of the task although the run has seen that it was asked to
    /// stop: `return context.complete_anyway(value);`. After the task's timeout it is too late for that.
    template <typename Value>
    [[nodiscard]] Value complete_anyway(Value value) {
        complete_anyway();
        return value;
    }
    /// The same for a function that returns nothing.
    virtual void complete_anyway() = 0;

    /// Shown to people while the run goes on. `fraction` is 0..1. Throws BadInput when it is not.
    virtual void progress(double fraction, std::string_view text = {}) = 0;

    /// Saves a state that a later run of the same task can go on from; replaces the one before. On disk within a beat
    /// of the worker (3 s by default), and at the latest when the run ends, unless the worker dies first. Throws
    /// BadInput when it is larger than the store accepts.
    virtual void checkpoint(const nlohmann::json& state) = 0;
    /// What an earlier run of the task saved last.
    [[nodiscard]] virtual std::optional<nlohmann::json> last_checkpoint() const = 0;

    /// The W3C trace context that the task was submitted with, to go on with the trace; empty: none.
    [[nodiscard]] virtual std::string_view traceparent() const = 0;

    /// A line for `holdfast tasks logs`.
    virtual void log(std::string_view line) = 0;
};

}  // namespace holdfast
