#pragma once

#include <atomic>

#include "holdfast/context.h"

namespace holdfast::runner {

/// The Context of a function, which notes whether the function has seen that it was asked to stop.
class FunctionContext : public Context {
public:
    [[nodiscard]] bool cancelled() const final {
        if (!is_asked_to_stop()) return false;
        saw_stop_ = true;
        return true;
    }
    void complete_anyway() final { insists_ = true; }
    using Context::complete_anyway;

    /// cancelled() has returned true, or the run's own processes were told to stop.
    [[nodiscard]] bool has_seen_stop() const { return saw_stop_ || were_processes_told(); }
    [[nodiscard]] bool insists_on_its_value() const { return insists_; }

private:
    [[nodiscard]] virtual bool is_asked_to_stop() const = 0;
    [[nodiscard]] virtual bool were_processes_told() const { return false; }

    mutable std::atomic<bool> saw_stop_ = false;
    std::atomic<bool> insists_ = false;
};

}  // namespace holdfast::runner
