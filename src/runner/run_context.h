#pragma once

#include "engine/worker/runners.h"
#include "runner/function_context.h"
#include "runner/pulse.h"

namespace holdfast::runner {

/// The Context of a function that is executed in a runner process.
class RunContext : public FunctionContext {
public:
    RunContext(const engine::RunOrder& order, Pulse& pulse, std::int64_t max_payload);

    [[nodiscard]] const Uuid& id() const override { return order_.lease.task; }
    [[nodiscard]] int attempt() const override { return order_.attempt; }
    [[nodiscard]] std::int64_t lease() const override { return order_.lease.lease; }
    [[nodiscard]] Timestamp deadline() const override { return deadline_; }
    void progress(double fraction, std::string_view text) override;
    void checkpoint(const nlohmann::json& state) override;
    [[nodiscard]] std::optional<nlohmann::json> last_checkpoint() const override;
    [[nodiscard]] std::string_view traceparent() const override { return order_.traceparent; }
    void log(std::string_view line) override;

private:
    [[nodiscard]] bool is_asked_to_stop() const override { return pulse_.is_stopping(); }
    [[nodiscard]] bool were_processes_told() const override { return pulse_.has_told_processes(); }
    void tell(const RunUpdate& update);

    const engine::RunOrder& order_;
    Pulse& pulse_;
    std::int64_t max_payload_;
    Timestamp deadline_;
};

}  // namespace holdfast::runner
