#include "holdfast/errors.h"
#include "runner/call_function.h"
#include "runner/executors.h"
#include "runner/pulse.h"

namespace holdfast::runner {

namespace {

/// The Context of a function that is executed in a runner process.
class RunContext : public FunctionContext {
public:
    RunContext(engine::RunOrder order, Pulse& pulse, std::int64_t max_payload)
        : FunctionContext(std::move(order)), pulse_(pulse), max_payload_(max_payload) {}

    void progress(double fraction, std::string_view text) override { tell({fraction, std::string(text), {}}); }
    void checkpoint(const nlohmann::json& state) override {
        tell({{}, {}, state.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)});
    }
    void log(std::string_view line) override { pulse_.log(line); }

private:
    [[nodiscard]] bool is_asked_to_stop() const override { return pulse_.is_stopping(); }
    [[nodiscard]] bool were_processes_told() const override { return pulse_.has_told_processes(); }
    void tell(const RunUpdate& update) {
        if (const auto defect = update_defect(update, max_payload_)) throw BadInput(*defect);
        pulse_.update(update);
    }

    Pulse& pulse_;
    std::int64_t max_payload_;
};

}  // namespace

Outcome execute_function(engine::RunOrder order, const FunctionTable& functions, const RunSite& site) {
    RunContext context(std::move(order), site.pulse, site.max_payload);
    const Outcome called = call_function(functions, context);
    Outcome outcome = called.completed ? completed_with(called.result, site.max_payload)
                                       : failed_with(called.error.code, called.error.message, called.error.data);
    outcome.saw_stop = called.saw_stop;
    outcome.threw_stop = called.threw_stop;
    return outcome;
}

}  // namespace holdfast::runner
