#include "runner/function_executor.h"

#include "holdfast/errors.h"
#include "platform/real_clock.h"
#include "runner/call_function.h"
#include "runner/pulse.h"

namespace holdfast::runner {

namespace {

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

RunContext::RunContext(const engine::RunOrder& order, Pulse& pulse, std::int64_t max_payload)
    : order_(order),
      pulse_(pulse),
      max_payload_(max_payload),
      deadline_(platform::real_clock().now() + order.timeout) {}

void RunContext::progress(double fraction, std::string_view text) {
    tell({fraction, std::string(text), {}});
}

void RunContext::checkpoint(const nlohmann::json& state) {
    tell({{}, {}, state.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)});
}

void RunContext::tell(const RunUpdate& update) {
    if (const auto defect = update_defect(update, max_payload_)) throw BadInput(*defect);
    pulse_.update(update);
}

std::optional<nlohmann::json> RunContext::last_checkpoint() const {
    if (order_.checkpoint.empty()) return std::nullopt;
    return nlohmann::json::parse(order_.checkpoint);
}

void RunContext::log(std::string_view line) {
    pulse_.log(line);
}

}  // namespace

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
