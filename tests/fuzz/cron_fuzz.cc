#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/calendar/cron.h"

/// Any text: what is read as a cron keeps its text, and its matches are whole minutes that only go forward.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace holdfast::core;
    using namespace std::chrono_literals;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto cron = Cron::parse(text);
    if (!cron) return cron.error().empty() ? std::abort(), 0 : 0;
    if (cron->text() != text || Cron::parse(cron->text()).value() != *cron) std::abort();
    if (cron->shortest_distance() < 1min || cron->shortest_distance() > 24h) std::abort();
    LocalTime from = std::chrono::local_days(std::chrono::year(2096) / 1 / 1);
    for (int i = 0; i < 10; ++i) {
        const auto time = cron->next(from);
        if (!time || *time < from || time->time_since_epoch() % 1min != 0min) std::abort();
        from = *time + 1min;
    }
    return 0;
}
