#include "proof/sim/schedule_check.h"

#include <algorithm>

#include "base/ids.h"
#include "base/text.h"
#include "core/calendar/schedule.h"
#include "proof/sim/process.h"
#include "proof/sim/witness.h"
#include "proof/sim/world.h"

namespace holdfast::sim {

namespace {

using namespace std::chrono_literals;

/// The slots of the clients' schedules, counted in another way than the engine's: each is a whole multiple of a
/// period since 1970.
struct Rhythm {
    core::ScheduleTiming timing;
    Duration period{};

    explicit Rhythm(const std::string& text) : timing(core::parse_timing(text).value()) {
        period = timing.interval ? *timing.interval
                                 : Duration(std::chrono::minutes(std::stoi(timing.cron->text().substr(2))));
    }
    [[nodiscard]] std::int64_t number_at(Timestamp at) const { return at.time_since_epoch() / period; }
    [[nodiscard]] bool is_slot(Timestamp at) const { return at.time_since_epoch() % period == Duration::zero(); }
    [[nodiscard]] Timestamp slot_after(Timestamp at) const { return Timestamp((number_at(at) + 1) * period); }
    /// The newest slot for which a sweep at `now` comes too late.
    [[nodiscard]] std::int64_t last_missed(Timestamp now) const {
        return number_at(now - std::min<Duration>(1min, timing.interval.value_or(1min)) - timing.jitter);
    }
};

}  // namespace

void ScheduleCheck::told_time(const Process& process, Timestamp now) {
    told_times_[Witness::key_of(process)] = now;
}

void ScheduleCheck::touched(const Process& process, const std::string& schedule) {
    TrueSchedule& truth = world_.ledger.schedules()[schedule];
    truth.touched_at = world_.timeline.now();
    truth.touched_by = process.name();
}

void ScheduleCheck::went_back() {
    for (auto& [name, truth] : world_.ledger.schedules()) {
        truth.touched_at = world_.timeline.now();
        truth.touched_by.clear();
    }
    for (const auto& [name, sight] : reader_.schedules())
        world_.ledger.schedules()[name].made_at.insert(sight.made_at);
}

/// Whether another process has changed it since this one began to sweep.
bool ScheduleCheck::was_touched_meanwhile(const Process& process, const std::string& schedule) {
    const TrueSchedule& truth = world_.ledger.schedules()[schedule];
    return truth.touched_by != process.name() && truth.touched_at >= witness_.sweep_began(process);
}

std::optional<ScheduleSight> ScheduleCheck::see(const std::string& schedule) {
    if (!reader_.open(world_.disk)) return std::nullopt;
    const auto schedules = reader_.schedules();
    const auto found = schedules.find(schedule);
    if (found == schedules.end()) return std::nullopt;
    world_.ledger.schedules()[schedule].made_at.insert(found->second.made_at);
    return found->second;
}

void ScheduleCheck::fired(const Process& process, const store::FireParams& params,
                          const std::optional<ScheduleSight>& before) {
    const bool was_touched = was_touched_meanwhile(process, params.schedule);
    touched(process, params.schedule);
    if (world_.disk.power_cuts > world_.power_cuts_seen) return;
    if (!before || before->paused)
        return witness_.complain("Schedules", concat(params.schedule, " was fired, though it is gone or paused"));
    if (before->decided_until != params.decided_until)
        witness_.complain("Schedules",
                          concat(params.schedule, " was decided until ", format_timestamp(before->decided_until),
                                 ", and is decided again from ", format_timestamp(params.decided_until)));
    const Timestamp now = told_times_[Witness::key_of(process)];
    if (!was_touched) check_decision(params, *before, now);
    if (params.job) check_slot(params, *before, now);
}

void ScheduleCheck::check_decision(const store::FireParams& params, const ScheduleSight& sight, Timestamp now) {
    const Rhythm rhythm(sight.timing);
    const auto say = [&](const std::string& what) {
        witness_.complain("Schedules",
                          concat(params.schedule, " ", sight.timing, ", decided until ",
                                 format_timestamp(params.decided_until), ", is decided until ",
                                 format_timestamp(params.decide_until), " at ", format_timestamp(now), ": ", what));
    };
    if (params.decide_until <= params.decided_until) say("slots come again");
    if (params.decide_until > now) say("that is to come");
    const bool skips = !params.job && rhythm.timing.overlap == core::Overlap::Skip;
    const bool decides_slot = rhythm.is_slot(params.decide_until) && (params.job || skips);
    if (params.job && !decides_slot) return say("that is not a slot");
    const std::int64_t next = rhythm.number_at(params.decide_until) + (decides_slot ? 0 : 1);
    const std::int64_t given_up = next - rhythm.number_at(params.decided_until) - 1;
    const std::int64_t made_up_for = std::max<std::int64_t>(0, rhythm.last_missed(now) - next + 1);
    if (given_up > 0 && next - 1 > rhythm.last_missed(now)) say("a slot is given up that is on time");
    if (given_up > 0 && made_up_for < rhythm.timing.catch_up)
        say(concat("only ", made_up_for, " missed slots are made up for"));
    if (decides_slot && made_up_for > rhythm.timing.catch_up) say(concat(made_up_for, " slots are made up for"));
}

/// The job of a slot is there, unless the slot is so old that its job may have ended and been removed.
void ScheduleCheck::check_slot(const store::FireParams& params, const ScheduleSight& sight, Timestamp now) {
    if (*params.job != core::slot_id(params.schedule, sight.made_at, params.decide_until))
        witness_.complain("Schedules", concat(params.schedule, " starts a job that is not its slot's"));
    if (find_job_of_slot(*params.job) != nullptr) return;
    if (params.decide_until + *world_.plan.sweep.retention.terminal > now + 5min)
        witness_.complain("Schedules", concat("slot ", format_timestamp(params.decide_until), " of ", params.schedule,
                                              " was fired, and there is no job"));
}

/// A sweeper that holds the row and has swept to the end has left no slot undecided.
void ScheduleCheck::swept(const Process& process) {
    const Timestamp now = told_times_[Witness::key_of(process)];
    for (const auto& [name, sight] : reader_.schedules()) {
        if (sight.paused || was_touched_meanwhile(process, name)) continue;
        const Rhythm rhythm(sight.timing);
        Timestamp next = rhythm.slot_after(sight.decided_until);
        // A missed slot is given up with the next slot that is on time, which may still wait for its jitter.
        if (rhythm.timing.catch_up == 0)
            next = std::max(next, Timestamp((rhythm.last_missed(now) + 1) * rhythm.period));
        if (next + rhythm.timing.jitter <= now)
            witness_.complain("Schedules",
                              concat(process.name(), " has swept at ", format_timestamp(now), ", and slot ",
                                     format_timestamp(next), " of ", name, " was not decided"));
    }
}

/// When the answer of the call is lost, only the job itself shows that its slot has started.
const TrueJob* ScheduleCheck::find_job_of_slot(const Uuid& job) {
    if (const TrueJob* known = world_.ledger.find_job(job)) return known;
    const std::string definition = reader_.definition_of(job);
    const Timestamp slot{std::chrono::milliseconds(job.unix_milliseconds())};
    for (const auto& [name, schedule] : world_.ledger.schedules()) {
        const auto bundle = schedule.definitions.find(definition);
        if (bundle == schedule.definitions.end()) continue;
        const auto is_its_slot = [&, of = std::string_view(name)](Timestamp made_at) {
            return core::slot_id(of, made_at, slot) == job;
        };
        if (std::none_of(schedule.made_at.begin(), schedule.made_at.end(), is_its_slot)) continue;
        TrueJob& made = world_.ledger.add_job(job, bundle->second);
        made.in_store = true;
        return &made;
    }
    return nullptr;
}

}  // namespace holdfast::sim
