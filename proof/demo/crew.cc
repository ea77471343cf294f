#include "proof/demo/crew.h"

#include <fmt/format.h>
#include <sys/prctl.h>

#include <csignal>

#include "platform/process_table.h"

namespace holdfast::proof {

namespace {

/// A killed worker leaves temporary files behind: they are removed with the demo's folder.
DemoWorker start_worker(const std::string& name, const DemoPlace& place) {
    return {.name = name,
            .process = crew::Process({.command = {"holdfast", "worker", "--name", name, "--config", place.config()},
                                      .program = crew::own_program,
                                      .environment = crew::crew_environment({"TMPDIR=" + place.folder}),
                                      .log = place.folder + "/" + name + ".log",
                                      .output = crew::Stream::Logged,
                                      .errors = crew::Stream::Logged})};
}

}  // namespace

std::string demo_config(const DemoPlace& place) {
    return fmt::format(
        "# Shorter than the defaults, so that the demo does not take minutes: heartbeat_interval, "
        "worker_stale_threshold_ms, liveness_interval_ms.\n"
        "store: {}\n"
        "worker: {{max_concurrent_tasks: {}, heartbeat_interval: 500ms, container_command: ['false']}}\n"
        "recovery: {{worker_stale_threshold_ms: 5000, liveness_interval_ms: 500}}\n",
        place.store_url(), demo_slots);
}

std::vector<std::string> shortened_settings() {
    return {"worker.heartbeat_interval 500ms (default 3s)", "recovery.worker_stale_threshold_ms 5000 (default 15000)",
            "recovery.liveness_interval_ms 500 (default 1000)"};
}

DemoCrew::DemoCrew(const DemoPlace& place) : place_(place) {
    // Processes that a killed worker leaves behind become children of this process, which ends them.
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (const char* name : {"alpha", "bravo", "charlie"}) workers_.push_back(start_worker(name, place));
}

DemoCrew::~DemoCrew() {
    platform::kill_all_descendants();
}

void DemoCrew::kill(DemoWorker& worker) {
    worker.process.send(SIGKILL);
    worker.life = DemoWorker::Life::Killed;
}

void DemoCrew::freeze(DemoWorker& worker) const {
    if (!crew::freeze(worker.process, [&] { return crew::blocks_writers(worker.process, place_.database()); }))
        throw DemoFailed(fmt::format("{} ended before it was frozen", worker.name));
    worker.life = DemoWorker::Life::Frozen;
}

void DemoCrew::resume(DemoWorker& worker) {
    worker.process.go_on();
    worker.life = DemoWorker::Life::Up;
}

void DemoCrew::ask_to_leave(const DemoWorker& worker) {
    if (worker.life == DemoWorker::Life::Up) worker.process.send(SIGTERM);
}

void DemoCrew::reap(bool may_leave) {
    crew::reap_children([&](pid_t pid, int status) { note_end(pid, status, may_leave); });
}

void DemoCrew::note_end(pid_t pid, int status, bool may_leave) {
    for (DemoWorker& worker : workers_) {
        if (!worker.process.note_end(pid, status) || worker.life == DemoWorker::Life::Killed) continue;
        worker.life = DemoWorker::Life::Left;
        if (!may_leave || worker.process.wait() != 0)
            throw DemoFailed(
                fmt::format("worker {} ended by itself; see {}/{}.log", worker.name, place_.folder, worker.name));
    }
}

}  // namespace holdfast::proof
