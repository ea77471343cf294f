#pragma once

#include "proof/chaos/findings.h"

namespace holdfast::chaos {

/// Builds findings, one fact after the other; at first, everything went well.
class Story {
public:
    static constexpr Timestamp start{std::chrono::seconds(1'000'000)};
    static Timestamp at(int milliseconds) { return start + std::chrono::milliseconds(milliseconds); }
    static Uuid id(std::uint8_t number) {
        Uuid::Bytes bytes{};
        bytes.back() = number;
        return Uuid(bytes);
    }

    Story() {
        findings.began = start;
        findings.faults_ended = at(10'000);
        findings.settled_at = at(11'000);
        findings.settle_bound = std::chrono::seconds(60);
    }

    void line(Mark mark, std::uint8_t task, store::Lease lease, int pid = 100) {
        clock_ += 10;
        findings.ledger.lines.push_back(
            {.mark = mark, .task = id(task), .lease = lease, .attempt = 1, .pid = pid, .at = at(clock_)});
    }
    /// Adds a task of the store, with its last run.
    TaskSeen& task(std::uint8_t number, TaskState state, store::Lease lease, core::LeaseEnd end) {
        TaskSeen seen{
            .id = id(number), .state = state, .lease = lease, .created_at = start, .finished_at = at(clock_)};
        if (state == TaskState::Completed) seen.returned_by = lease;
        seen.runs.push_back({lease, end, at(clock_)});
        findings.tasks.push_back(seen);
        findings.acknowledged_tasks.push_back({seen.id, start});
        return findings.tasks.back();
    }
    /// Adds a task that began, ended and is COMPLETED.
    TaskSeen& completed(std::uint8_t number, store::Lease lease) {
        line(Mark::Begin, number, lease);
        line(Mark::Done, number, lease);
        return task(number, TaskState::Completed, lease, core::LeaseEnd::Completed);
    }

    Findings findings;

private:
    int clock_ = 0;
};

}  // namespace holdfast::chaos
