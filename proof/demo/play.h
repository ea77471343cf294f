#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "proof/demo/watcher.h"

namespace holdfast::proof {

/// The plot of the demo: three workers, fifty tasks, one worker killed, one frozen and resumed. It waits for events,
/// never for a time.
class DemoPlay {
public:
    struct Params {
        DemoPlace place;
        DemoView& view;
        /// Called often; throws to end the demo.
        std::function<void()> check;
        /// Time for people to read, between two acts.
        Duration pause{};
    };
    explicit DemoPlay(Params params);

    /// Throws DemoFailed when an expected event does not come.
    DemoCount run();

private:
    using Tasks = std::vector<const DemoTask*>;

    void tell_act(const std::string& title);
    void begin_act(const std::string& title);
    void assemble();
    void submit();
    void kill_one();
    void freeze_one();
    void resume_frozen();
    void end_all();

    void cast_roles();
    void turn();
    void wait_until(const std::function<bool()>& happened, const std::string& what);
    void open_gates(const Tasks& tasks);
    void await_settled(const DemoWorker& worker, const Tasks& tasks);

    [[nodiscard]] Tasks holding_on(const DemoWorker& worker) const;
    [[nodiscard]] bool is_settled(const DemoWorker& worker, const DemoTask& task) const;
    [[nodiscard]] bool all_hold() const;
    [[nodiscard]] bool have_ended(const Tasks& tasks) const;

    Params params_;
    std::vector<DemoTask> tasks_;
    std::unique_ptr<store::Store> store_;
    DemoWatcher watcher_;
    DemoCrew crew_;
    DemoWorker* killed_ = nullptr;
    DemoWorker* frozen_ = nullptr;
    Tasks on_killed_, on_frozen_, on_survivor_;
    bool may_leave_ = false;
};

}  // namespace holdfast::proof
