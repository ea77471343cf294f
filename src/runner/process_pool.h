#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "base/descriptor.h"
#include "engine/worker/runners.h"
#include "platform/service_loop.h"
#include "runner/keeper_link.h"
#include "runner/messages.h"
#include "runner/slot_users.h"

namespace holdfast::runner {

/// A worker's runners, as processes. Everything happens inside the loop; `sink` may call back.
class ProcessPool : public engine::Runners {
public:
    using Sink = std::function<void(engine::RunnerEvent)>;

    /// `worker`: its id, as text, by which its processes can be found.
    /// `keeper_lost` is called when the keeper was killed: new runners cannot be made, so the worker must exit. Every
    /// descendant of this process is killed, and once all are dead RunnerGone is sent for every runner, except for
    /// those whose container may still run. Throws BadInput for users of `limits` that do not exist.
    ProcessPool(platform::ServiceLoop& loop, KeeperLink& keeper, std::string worker, PoolLimits limits, Sink sink,
                std::function<void()> keeper_lost);
    ~ProcessPool() override;
    ProcessPool(const ProcessPool&) = delete;
    ProcessPool& operator=(const ProcessPool&) = delete;

    void spawn(engine::RunnerId runner) override;
    void begin(engine::RunnerId runner, const engine::RunOrder& order) override;
    void ask_to_stop(engine::RunnerId runner, engine::StopCause cause, Duration grace) override;
    void kill(engine::RunnerId runner) override;
    void set_fence(Duration deadline) override;
    void logs_stored(engine::RunnerId runner, std::size_t bytes) override;

    /// How many runners are not gone yet.
    [[nodiscard]] std::size_t size() const { return runners_.size(); }

    // ---- Hosts of runner programs, for a ProgramPool. Their numbers begin at `first_host`.
    static constexpr engine::RunnerId first_host = engine::RunnerId{1} << 40;
    /// What a host sends, and its end.
    struct HostSink {
        std::function<void(engine::RunnerId host, Message message)> message;
        std::function<void(const engine::RunnerGone& gone)> gone;
    };
    void use(HostSink sink) { host_sink_ = std::move(sink); }
    void spawn_host(engine::RunnerId host, const std::string& program);
    void send_task(engine::RunnerId host, const Message& message);
    void send_control(engine::RunnerId host, const Message& message);
    /// From now on the keeper ends the host at the fence's deadline; or not any more.
    void guard(engine::RunnerId host, bool is_fenced);
    [[nodiscard]] const std::optional<Duration>& fence() const { return fence_; }

private:
    /// One end of a connection to a runner.
    struct Line {
        Descriptor socket;
        Outbox out;
        FrameReader in;
        bool waits_to_write = false;
    };
    struct Runner {
        engine::RunnerId id = 0;
        Line task, control;
        store::TaskLease run;       // its lease is 0: it runs nothing
        bool is_container = false;  // its run may not be a descendant of this process
        bool is_fenced = false;     // its last run was; as the keeper was told
        std::string condemned;      // why the pool has killed it; empty: it has not
        std::string program;        // of a host

        [[nodiscard]] bool is_host() const { return id >= first_host; }
    };

    Runner* find(engine::RunnerId id);
    [[nodiscard]] bool start(Runner& runner);
    void send(Runner& runner, Line& line, const Message& message);
    void await_writing(Runner& runner, Line& line);
    void go_on_writing();
    void read(engine::RunnerId id, Line Runner::*line);
    bool receive(Line& line);
    void drain(Runner& runner, Line& line);
    void handle_input(Runner& runner, Line& line);
    template <typename Event>
    void pass_on(const Runner& runner, Message& message);
    void condemn(Runner& runner, std::string why);
    void close_line(Line& line);
    void launch(Runner& runner);
    void report(engine::RunnerGone gone);
    void read_keeper();
    void bury(const RunnerDied& report);
    void hear_out(Runner& runner);
    void forget(engine::RunnerId id);
    void lose_keeper();
    void bury_all_except(const std::map<engine::RunnerId, store::TaskLease>& left);
    [[nodiscard]] engine::RunnerGone obituary(const Runner& runner, const RunnerDied& report) const;

    platform::ServiceLoop& loop_;
    KeeperLink& keeper_;
    std::string worker_;
    PoolLimits limits_;
    SlotUsers users_;
    Sink sink_;
    HostSink host_sink_;
    std::function<void()> keeper_lost_;
    bool has_keeper_ = true;
    std::optional<Duration> fence_;
    std::map<engine::RunnerId, Runner> runners_;
    std::shared_ptr<int> life_ = std::make_shared<int>();  // callbacks that outlive the pool see that it is gone
    Descriptor writing_;  // an epoll: readable when a socket takes more of what waits to be written
    std::array<char, 64 * 1024> buffer_;
    std::jthread ending_;  // once the keeper is lost
};

}  // namespace holdfast::runner
