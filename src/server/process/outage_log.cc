#include "server/process/outage_log.h"

#include "base/text.h"

namespace holdfast::server {

std::optional<LogLine> OutageLog::look(const api::VitalSign::Check& store, Duration now) {
    if (store.is_out == out_since_.has_value()) return std::nullopt;
    if (store.is_out) {
        out_since_ = now;
        const std::string why = store.failure.empty() ? store.detail : concat(store.detail, ": ", store.failure);
        return LogLine{
            LogLevel::Warning,
            concat("The store does not answer (", why, "); until it does, requests that need it get a 503"),
            {}};
    }
    const auto lasted = std::chrono::ceil<std::chrono::milliseconds>(now - *out_since_);
    out_since_.reset();
    return LogLine{LogLevel::Info, "The store answers again", {{"after", format_duration(lasted)}}};
}

}  // namespace holdfast::server
