#include "runner/run_context.h"

#include "holdfast/errors.h"
#include "platform/real_clock.h"

namespace holdfast::runner {

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

}  // namespace holdfast::runner
