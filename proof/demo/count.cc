#include "proof/demo/count.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace holdfast::proof {

namespace {

/// The lines of the ledger about one task.
struct Runs {
    int begins = 0;
    std::set<store::Lease> begun, ended;
};

std::map<Uuid, Runs> runs_by_task(const crew::LedgerLines& ledger) {
    std::map<Uuid, Runs> runs;
    for (const crew::LedgerLine& line : ledger.lines) {
        Runs& of_task = runs[line.task];
        if (line.mark == crew::Mark::Done) {
            of_task.ended.insert(line.lease);
        } else {
            of_task.begun.insert(line.lease);
            ++of_task.begins;
        }
    }
    return runs;
}

class Counter {
public:
    explicit Counter(DemoCount& count) : count_(count) {}

    void add(const DemoTask& task, const std::optional<store::TaskRecord>& record, const Runs& runs) {
        ++count_.submitted;
        if (!record) return lose(task, "the store does not know it any more");
        add_end(task, *record, runs);
        add_runs(task, *record, runs);
    }

private:
    void add_end(const DemoTask& task, const store::TaskRecord& record, const Runs& runs) {
        const std::string code = record.error ? record.error->code : "";
        if (!is_terminal(record.state)) return lose(task, fmt::format("is still {}", to_text(record.state)));
        if (record.state == TaskState::Completed) return add_completed(task, record, runs);
        if (record.state == TaskState::Failed && !task.runs_again() && code == error_code::worker_crashed) {
            ++count_.failed_by_policy;
            return;
        }
        complain(task, fmt::format("is {} ({}), which its policy does not ask for", to_text(record.state), code));
    }

    void add_completed(const DemoTask& task, const store::TaskRecord& record, const Runs& runs) {
        if (!runs.ended.contains(record.lease)) return lose(task, "is COMPLETED by a run that never wrote its end");
        ++count_.completed;
        if (record.history.crashes > 0) ++count_.rerun;
    }

    void add_runs(const DemoTask& task, const store::TaskRecord& record, const Runs& runs) {
        const int allowed = task.runs_again() ? 1 + record.history.crashes : 1;
        const bool lease_used_twice = runs.begins > static_cast<int>(runs.begun.size());
        if (runs.begins <= allowed && !lease_used_twice) return;
        ++count_.run_twice;
        complain(task, fmt::format("began {} times; its policy allows {}", runs.begins, allowed));
    }

    void lose(const DemoTask& task, const std::string& how) {
        ++count_.lost;
        complain(task, how);
    }

    void complain(const DemoTask& task, const std::string& what) {
        count_.complaints.push_back(fmt::format("{} ({}): {}", task.label(), task.task.id.to_string(), what));
    }

    DemoCount& count_;
};

}  // namespace

DemoCount count_demo(const std::vector<DemoTask>& tasks, const std::vector<std::optional<store::TaskRecord>>& records,
                     const crew::LedgerLines& ledger) {
    DemoCount count;
    Counter counter(count);
    const auto runs = runs_by_task(ledger);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const auto found = runs.find(tasks[i].task.id);
        counter.add(tasks[i], records.at(i), found == runs.end() ? Runs{} : found->second);
    }
    return count;
}

}  // namespace holdfast::proof
