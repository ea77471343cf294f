#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "proof/sim/dice.h"
#include "proof/sim/faults.h"
#include "proof/sim/fiber.h"
#include "proof/sim/machine.h"

namespace holdfast::sim {

class World;

/// A simulated process: a name under which it is restarted, a machine, threads, and a life that can end at any store
/// call. While it is stopped, its events wait.
class Process {
public:
    Process(World& world, std::string name, Machine& machine, Dice dice);
    virtual ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    virtual void start() = 0;
    /// The fault that ends it at a store call.
    [[nodiscard]] virtual Fault kill_fault() const = 0;
    /// Shows its death to the rest of the world.
    virtual void on_death() {}

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] Machine& machine() { return machine_; }
    [[nodiscard]] World& world() { return world_; }
    [[nodiscard]] Dice& dice() { return dice_; }
    [[nodiscard]] int pid() const { return pid_; }
    [[nodiscard]] std::uint64_t start_time() const { return start_time_; }
    [[nodiscard]] bool is_alive() const { return life_->is_alive; }
    [[nodiscard]] bool is_stopped() const { return life_->stops > 0; }
    [[nodiscard]] Duration monotonic() const;
    /// Until when something hinders its work, or did: a stop, a failed or slow call.
    [[nodiscard]] Duration hindered_until() const { return hindered_until_; }
    void hinder(Duration until) { hindered_until_ = std::max(hindered_until_, until); }

    /// Runs something in this process, unless it is dead by then.
    void after(Duration wait, std::function<void()> event);
    /// Runs something in a thread of its own.
    void spawn(std::function<void()> body);
    /// Lets time pass, in a thread.
    void sleep(Duration wait);

    void stop();   ///< SIGSTOP, or its machine stands still
    void go_on();  ///< once for every stop()
    /// Ends it, and all its threads; throws FiberCancelled when one of them calls.
    void die(const std::string& how);

    void say(const std::string& what);

private:
    struct Life {
        bool is_alive = true;
        int stops = 0;
        std::vector<std::function<void()>> waiting;
    };

    static void run(const std::shared_ptr<Life>& life, const std::function<void()>& event);
    void bury_threads();

    World& world_;
    const std::string name_;
    Machine& machine_;
    Dice dice_;
    const int pid_;
    const std::uint64_t start_time_;
    std::shared_ptr<Life> life_ = std::make_shared<Life>();
    std::vector<std::unique_ptr<Fiber>> threads_;
    Duration hindered_until_{};
};

}  // namespace holdfast::sim
