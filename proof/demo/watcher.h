#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "proof/demo/crew.h"
#include "proof/demo/view.h"
#include "store/store.h"

namespace holdfast::proof {

/// Looks at the store of a demo and tells a view what has changed since the last look.
class DemoWatcher {
public:
    /// All of them outlive it.
    DemoWatcher(store::ClientStore& store, const std::vector<DemoTask>& tasks, DemoView& view);

    void tell(const DemoFact& fact);
    /// Notes what is done to a worker now ("kill -9"): later events about it are timed from here.
    void note_trouble(const std::string& worker, const std::string& what);
    void look();
    void show(const std::vector<DemoWorker>& workers);

    [[nodiscard]] const std::vector<std::optional<store::TaskRecord>>& records() const { return records_; }
    /// Whether an event of this kind about the task (or, with nil, about no task) and worker has been seen.
    [[nodiscard]] bool has_event(const std::string& kind, const Uuid& task, const std::string& worker) const;
    [[nodiscard]] bool is_active(const std::string& worker) const;
    [[nodiscard]] std::string name_of(const Uuid& worker) const;

private:
    struct Trouble {
        std::string what;
        Timestamp at;
    };
    /// The last leases of a task that the view was told of.
    struct Told {
        store::Lease claimed = 0, started = 0;
        bool is_completed = false;
    };
    using Groups = std::map<std::pair<std::string, std::string>, std::vector<const DemoTask*>>;

    [[nodiscard]] Duration since_start() const;
    void tell_event(const store::EventRecord& event);
    [[nodiscard]] std::string after(const store::EventRecord& event, Json& data) const;
    [[nodiscard]] const DemoTask* task_of(const Uuid& id) const;
    void tell_task(const DemoTask& task, const store::TaskRecord& record, Told& told, Groups& groups);
    void tell_rerun(const DemoTask& task, const store::TaskRecord& record, const store::EventRecord& requeued);
    void tell_groups(const Groups& groups);
    [[nodiscard]] const store::EventRecord* last_requeue(const Uuid& task) const;
    [[nodiscard]] DemoScene::Worker scene_of(const DemoWorker& worker) const;

    store::ClientStore& store_;
    const std::vector<DemoTask>& tasks_;
    DemoView& view_;
    const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
    std::vector<std::optional<store::TaskRecord>> records_;
    std::vector<store::WorkerRecord> workers_;
    std::vector<store::EventRecord> events_;
    std::map<std::string, Trouble> troubles_;
    std::map<int, Told> told_;
};

}  // namespace holdfast::proof
