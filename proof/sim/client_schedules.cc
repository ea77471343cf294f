#include "base/text.h"
#include "core/calendar/schedule.h"
#include "proof/sim/client_process.h"
#include "proof/sim/job_shapes.h"

namespace holdfast::sim {

namespace {

using namespace std::chrono_literals;

/// Only timings whose slots are whole multiples of a period since 1970: the checker counts them in its own way.
core::ScheduleTiming draw_timing(Dice& dice) {
    core::ScheduleTiming timing;
    Duration period = std::chrono::ceil<std::chrono::seconds>(dice.logarithmic(10s, 3min));
    if (dice.chance(0.3)) {
        const int minutes = dice.pick(std::vector<int>{1, 2, 5});
        period = std::chrono::minutes(minutes);
        timing.cron = core::Cron::parse(concat("*/", minutes, " * * * *")).value();
    } else {
        timing.interval = period;
    }
    if (dice.chance(0.3))
        timing.jitter = std::chrono::floor<std::chrono::milliseconds>(dice.between(Duration(1ms), period / 2));
    timing.catch_up = dice.between(0, 3);
    timing.overlap = dice.pick(
        std::vector<core::Overlap>{core::Overlap::Allow, core::Overlap::Skip, core::Overlap::CancelPrevious});
    return timing;
}

}  // namespace

void ClientProcess::steer_schedule() {
    const std::string schedule = concat("schedule-", dice().between(1, world().plan.schedules));
    switch (dice().below(8)) {
        case 0:
            store_.set_schedule_paused(schedule, true, name());
            return;
        case 1:
        case 2:
        case 3:
            store_.set_schedule_paused(schedule, false, name());
            return;
        case 4:
            store_.remove_schedule(schedule, name());
            return;
        default:
            put_schedule(schedule);
    }
}

/// Puts a new schedule, another timing, or another workflow.
void ClientProcess::put_schedule(const std::string& schedule) {
    auto& definitions = world().ledger.schedules()[schedule].definitions;
    core::WorkflowBundle bundle = draw_small_workflow(dice(), world().plan.queues);
    if (!definitions.empty() && dice().chance(0.7)) bundle = definitions.begin()->second;
    const std::string text = core::to_json_text(bundle);
    definitions[text] = bundle;
    store_.put_schedule({.name = schedule, .timing = core::to_json_text(draw_timing(dice())), .definition = text},
                        name());
}

/// With schedules left, something would always be under way.
void ClientProcess::pause_schedules() {
    if (world().plan.schedules == 0) return;
    for (const store::ScheduleRecord& record : store_.schedules())
        if (!record.paused) store_.set_schedule_paused(record.schedule.name, true, name());
}

}  // namespace holdfast::sim
