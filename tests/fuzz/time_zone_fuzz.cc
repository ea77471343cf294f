#include <cstdint>
#include <string_view>

#include "core/calendar/schedule.h"
#include "tests/fuzz/require.h"

namespace {

using namespace holdfast;
using namespace holdfast::core;
using namespace std::chrono_literals;

/// The periods follow each other, and the clocks show their own instants.
void walk_periods(const TimeZone& zone, Timestamp from) {
    for (int i = 0; i < 20 && from <= last_instant; ++i) {
        const TimeZone::Period period = zone.period_at(from);
        require(period.begin <= from && period.end > from);
        const LocalTime shown = zone.local(from);
        for (const Timestamp instant : zone.instants_of(shown)) require(zone.local(instant) == shown);
        require(zone.first_reaching(shown) <= from);
        from = period.end;
    }
}

void walk_slots(const TimeZone& zone, const char* cron, Timestamp after) {
    const ScheduleTiming timing{.cron = Cron::parse(cron).value()};
    for (int i = 0; i < 20; ++i) {
        const auto slot = next_slot(timing, zone, after);
        if (!slot) return;
        require(*slot > after);
        after = *slot;
    }
}

}  // namespace

/// Any bytes: what is read as a zone has an offset at all times, and schedules in it go forward.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto zone = TimeZone::parse(std::string_view(reinterpret_cast<const char*>(data), size));
    if (!zone) {
        require(!zone.error().empty());
        return 0;
    }
    for (const Timestamp from :
         {first_instant, Timestamp(), Timestamp(std::chrono::sys_days(std::chrono::year(2026) / 2 / 1)),
          last_instant - std::chrono::days(800)}) {
        walk_periods(*zone, from);
        for (const char* cron : {"30 2 * * *", "*/30 * * * *", "0 0 29 2 *"}) walk_slots(*zone, cron, from);
    }
    return 0;
}
