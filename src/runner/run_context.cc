#include "runner/run_context.h"

#include "base/text.h"
#include "holdfast/errors.h"
#include "platform/real_clock.h"
#include "runner/readable_text.h"
#include "runner/run_update.h"

namespace holdfast::runner {

RunContext::RunContext(const engine::RunOrder& order, Pulse& pulse, std::int64_t max_payload)
    : order_(order),
      pulse_(pulse),
      max_payload_(max_payload),
      deadline_(platform::real_clock().now() + order.timeout) {}

void RunContext::progress(double fraction, std::string_view text) {
    if (const auto defect = update_defect({fraction, std::string(text), {}}, max_payload_)) throw BadInput(*defect);
    pulse_.progress(fraction, text);
}

void RunContext::checkpoint(const nlohmann::json& state) {
    std::string text = state.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    if (const auto defect = update_defect({{}, {}, text}, max_payload_)) throw BadInput(*defect);
    pulse_.checkpoint(std::move(text));
}

std::optional<nlohmann::json> RunContext::last_checkpoint() const {
    if (order_.checkpoint.empty()) return std::nullopt;
    return nlohmann::json::parse(order_.checkpoint);
}

void RunContext::log(std::string_view line) {
    pulse_.log(line);
}

}  // namespace holdfast::runner
