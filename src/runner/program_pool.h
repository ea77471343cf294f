#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/log.h"
#include "engine/backoff.h"
#include "engine/worker/runners.h"
#include "platform/service_loop.h"
#include "runner/process_pool.h"
#include "runner/suspects.h"

namespace holdfast::runner {

/// A runner program of a worker, as it said hello when the worker started.
struct KnownProgram {
    std::string command;
    ProgramHello hello;
};

/// A worker's runners where it has runner programs. A runner of the engine is a slot: its own process runs scripts
/// and functions of this program, and a task of a runner program is lent to a copy of that program, which one or more
/// slots share. Everything happens inside the loop.
class ProgramPool : public engine::Runners {
public:
    struct Ports {
        std::function<void(engine::RunnerEvent)> sink;
        std::function<void(LogLine)> say;
        /// All tasks of the programs, after a copy with new code has said which it has.
        std::function<void(const std::vector<std::string>& names)> tasks_changed;
    };

    /// `slots`: the capacity of the worker.
    ProgramPool(platform::ServiceLoop& loop, std::vector<KnownProgram> programs, std::size_t slots, Ports ports);
    ~ProgramPool() override;
    ProgramPool(const ProgramPool&) = delete;
    ProgramPool& operator=(const ProgramPool&) = delete;

    /// The processes of the slots and of the programs. To be called once, before everything else; their sink is
    /// slot_event(). Starts one copy of each program.
    void use(std::unique_ptr<ProcessPool> processes);
    void slot_event(engine::RunnerEvent event);

    void spawn(engine::RunnerId slot) override;
    void begin(engine::RunnerId slot, const engine::RunOrder& order) override;
    void ask_to_stop(engine::RunnerId slot, engine::StopCause cause, Duration grace) override;
    void kill(engine::RunnerId slot) override;
    void set_fence(Duration deadline) override;
    void logs_stored(engine::RunnerId slot, std::size_t bytes) override;

private:
    using Host = engine::RunnerId;
    using Slot = engine::RunnerId;

    struct Program {
        std::string command;
        ProgramHello hello;
        Host said_by = 0;          // the copy whose hello this is; 0: the one that was asked first
        std::size_t failures = 0;  // starts in a row
        Duration start_at{};       // not before
    };
    struct Copy {
        std::size_t program = 0;
        bool is_ready = false;
        bool is_leaving = false;   // gets no more runs
        bool is_outdated = false;  // its code is not the program's
        int concurrency = 1;
        std::map<store::Lease, Slot> runs = {};
        std::set<Slot> guilty = {};  // it was killed for these
        std::string last_words = {};
        Duration spawned_at{};
    };
    struct Loan {
        std::size_t program = 0;
        engine::RunOrder order;
        Host host = 0;                                     // 0: waits for a copy
        std::optional<engine::RunnerGone> slot_gone = {};  // the slot's own process died meanwhile
    };

    [[nodiscard]] std::optional<std::size_t> program_of(const engine::RunOrder& order) const;
    void place(Slot slot);
    [[nodiscard]] Host host_for(const Loan& loan);
    [[nodiscard]] bool fits(const Copy& copy, const Loan& loan) const;
    void hand_over(Slot slot, Host host);
    void place_waiting();
    void grow(std::size_t program);
    void start_copy(std::size_t program);
    void renew(std::size_t program);
    void check_boots();
    void look_later(Duration wait);

    void hear(Host host, Message message);
    void on(Host host, Copy& copy, const ProgramReady& ready);
    void on(Copy& copy, engine::RunEnded ended);
    void host_gone(const engine::RunnerGone& gone);
    void end_loan(Slot slot, const Copy& copy, const engine::RunnerGone& gone);
    void start_failed(std::size_t program, const std::string& how);
    void guard(Host host, const Copy& copy);
    void lose_slot(Slot slot, engine::RunnerGone gone);
    void announce_tasks();

    platform::ServiceLoop& loop_;
    std::vector<Program> programs_;
    std::map<std::string, std::size_t> program_by_task_;  // also tasks that new code does not have any more
    const std::size_t slots_;
    Ports ports_;
    std::unique_ptr<ProcessPool> processes_;
    std::map<Host, Copy> copies_;
    std::map<Slot, Loan> loans_;
    std::deque<Slot> waiting_;
    std::set<Slot> lost_;  // reported as gone, while their own processes still die
    Suspects suspects_;
    Host last_host_ = ProcessPool::first_host;
    std::shared_ptr<int> life_ = std::make_shared<int>();
    Descriptor timer_;
};

}  // namespace holdfast::runner
