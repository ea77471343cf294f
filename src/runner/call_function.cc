#include "runner/call_function.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "base/text.h"
#include "holdfast/errors.h"
#include "platform/real_clock.h"
#include "runner/executors.h"
#include "runner/pulse.h"

namespace holdfast::runner {

namespace {

std::string type_name(const std::type_info& type) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> readable(abi::__cxa_demangle(type.name(), nullptr, nullptr, &status),
                                                          std::free);
    return status == 0 ? readable.get() : type.name();
}

Outcome failure(TaskError error) {
    return {.error = std::move(error)};
}

Outcome exception_failure(const std::string& type, const std::string& message) {
    return failure({std::string(error_code::task_exception), concat(type, ": ", message),
                    nlohmann::json{{"type", type}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)});
}

Outcome stopped() {
    Outcome outcome = exception_failure("holdfast::Stopped",
                                        "thrown by a run that was not asked to stop; throw it only after "
                                        "Context::cancelled() has returned true");
    outcome.threw_stop = true;
    return outcome;
}

Outcome as_text(const Result<nlohmann::json, TaskError>& result) {
    if (!result) return failure(result.error());
    return {.completed = true, .result = result.value().dump()};  // throws for invalid UTF-8
}

Outcome call(const Function& function, Context& context, const std::string& args) {
    const auto given = nlohmann::json::parse(args, nullptr, false);
    if (given.is_discarded())
        return failure({std::string(error_code::args_not_readable), "the arguments are not JSON", ""});
    try {
        return as_text(function(context, given));
    } catch (const Stopped&) {
        return stopped();
    } catch (const nlohmann::json::type_error& fault) {
        if (fault.id != 316)  // invalid UTF-8 in the result
            return exception_failure(type_name(typeid(fault)), fault.what());
        return failure({std::string(error_code::result_not_storable), fault.what(), ""});
    } catch (const std::exception& fault) {
        return exception_failure(type_name(typeid(fault)), fault.what());
    } catch (...) {
        const std::type_info* type = abi::__cxa_current_exception_type();
        return exception_failure(type == nullptr ? "unknown" : type_name(*type), "thrown, and no std::exception");
    }
}

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

FunctionContext::FunctionContext(engine::RunOrder order)
    : order_(std::move(order)), deadline_(platform::real_clock().now() + order_.timeout) {}

std::optional<nlohmann::json> FunctionContext::last_checkpoint() const {
    if (order_.checkpoint.empty()) return std::nullopt;
    return nlohmann::json::parse(order_.checkpoint);
}

bool FunctionContext::cancelled() const {
    if (!is_asked_to_stop()) return false;
    saw_stop_ = true;
    return true;
}

Outcome call_function(const FunctionTable& functions, FunctionContext& context) {
    const std::string& name = context.order().name;
    const auto function = functions.find(name);
    if (function == functions.end())
        return failure({std::string(error_code::task_exception),
                        concat("this worker has no function for the task '", name, "'"), ""});
    Outcome outcome = call(function->second, context, context.order().args);
    outcome.saw_stop = context.has_seen_stop() && !(outcome.completed && context.insists_on_its_value());
    return outcome;
}

Outcome execute_function(engine::RunOrder order, const FunctionTable& functions, const RunSite& site) {
    if (site.identity) {
        site.worker.forget_withheld();
        if (!platform::become(*site.identity))
            return failed_with(error_code::task_exception, "its runner cannot become the user of run_as");
    }
    RunContext context(std::move(order), site.pulse, site.given.max_payload);
    const Outcome called = call_function(functions, context);
    Outcome outcome = called.completed ? completed_with(called.result, site.given.max_payload)
                                       : failed_with(called.error.code, called.error.message, called.error.data);
    outcome.saw_stop = called.saw_stop;
    outcome.threw_stop = called.threw_stop;
    return outcome;
}

}  // namespace holdfast::runner
