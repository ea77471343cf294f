#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "holdfast/time.h"
#include "holdfast/uuid.h"

namespace holdfast {

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
    /// lost. It is killed a few seconds later; until then it may tidy up and return.
    [[nodiscard]] virtual bool cancelled() const = 0;

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
