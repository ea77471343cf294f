#include "proof/sim/faulty_store.h"
#include "proof/sim/world.h"

namespace holdfast::sim {

using store::Store;

std::vector<store::SubmitOutcome> FaultyStore::start_jobs(const std::vector<store::NewJob>& jobs) {
    return write("start_jobs", process_.world().ledger.name_of_job(jobs.front().id),
                 Lasting{[jobs](Store& store) { return store.start_jobs(jobs); }});
}

std::vector<SteerStatus> FaultyStore::cancel_jobs(const store::SteerJobsParams& params) {
    return write("cancel_jobs", process_.world().ledger.name_of_job(params.jobs.front()),
                 Lasting{[params](Store& store) { return store.cancel_jobs(params); }});
}

std::vector<SteerStatus> FaultyStore::pause_jobs(const store::SteerJobsParams& params) {
    return write("pause_jobs", process_.world().ledger.name_of_job(params.jobs.front()),
                 Lasting{[params](Store& store) { return store.pause_jobs(params); }});
}

std::vector<SteerStatus> FaultyStore::resume_jobs(const store::SteerJobsParams& params) {
    return write("resume_jobs", process_.world().ledger.name_of_job(params.jobs.front()),
                 Lasting{[params](Store& store) { return store.resume_jobs(params); }});
}

store::DecideStatus FaultyStore::decide_approval(const store::DecideParams& params) {
    return write("decide_approval", params.step,
                 Lasting{[params](Store& store) { return store.decide_approval(params); }});
}

store::RetryStatus FaultyStore::retry_job(const store::RetryJobParams& params) {
    return write("retry_job", process_.world().ledger.name_of_job(params.job),
                 Lasting{[params](Store& store) { return store.retry_job(params); }});
}

std::size_t FaultyStore::end_due_waits(std::size_t limit) {
    return write("end_due_waits", "", Lasting{[limit](Store& store) { return store.end_due_waits(limit); }});
}

std::size_t FaultyStore::cancel_overdue_jobs(std::size_t limit, const std::string& who) {
    return write("cancel_overdue_jobs", "",
                 Lasting{[limit, who](Store& store) { return store.cancel_overdue_jobs(limit, who); }});
}

store::RepairAnswer FaultyStore::repair_jobs(const store::RepairParams& params) {
    return write("repair_jobs", "", [&](Store& store) {
        store::RepairAnswer answer = store.repair_jobs(params);
        process_.world().witness.jobs.repaired(process_, answer);
        return answer;
    });
}

void FaultyStore::put_schedule(const store::ScheduleDefinition& schedule, const std::string& who) {
    write("put_schedule", schedule.name, [&](Store& store) {
        process_.world().witness.schedules.touched(process_, schedule.name);
        store.put_schedule(schedule, who);
    });
}

bool FaultyStore::set_schedule_paused(const std::string& schedule, bool paused, const std::string& who) {
    return write(paused ? "pause_schedule" : "resume_schedule", schedule, [&](Store& store) {
        process_.world().witness.schedules.touched(process_, schedule);
        return store.set_schedule_paused(schedule, paused, who);
    });
}

bool FaultyStore::remove_schedule(const std::string& schedule, const std::string& who) {
    return write("remove_schedule", schedule, [&](Store& store) {
        process_.world().witness.schedules.touched(process_, schedule);
        return store.remove_schedule(schedule, who);
    });
}

bool FaultyStore::fire(const store::FireParams& params) {
    return write("fire", params.schedule, [&](Store& store) {
        Witness& witness = process_.world().witness;
        const auto before = witness.schedules.see(params.schedule);
        const bool fired = store.fire(params);
        if (fired) witness.schedules.fired(process_, params, before);
        return fired;
    });
}

}  // namespace holdfast::sim
