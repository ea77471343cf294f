#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/task/run_as.h"
#include "engine/worker/runners.h"
#include "platform/identity.h"
#include "runner/container_tool.h"
#include "runner/program_protocol.h"

namespace holdfast::runner {

// The messages between a worker's pool, its keeper and its runners. messages.cc lists the members of each message
// once, for writing and for reading. What a runner tells the pool are the events of engine/worker/runners.h: ready
// and ended on its task socket; beats, progress and logs on its control socket.

// ---- The pool to a runner, on its task socket -------------------------------------------------------------------

/// The limits of runners and their tasks, and what they get from the worker.
struct PoolLimits {
    std::int64_t max_tasks_per_runner = 0;          ///< a runner leaves after so many; 0: never
    std::int64_t memory_bytes = 0;                  ///< of a runner's whole process tree; 0: no limit
    std::int64_t max_payload = 16LL * 1024 * 1024;  ///< bytes, of a result or a checkpoint
    ContainerTool containers = {};                  ///< how containers are run
    std::vector<std::string> pass_env = {};         ///< the variables of the worker that scripts and containers get
    std::int64_t max_processes = 0;                 ///< of a script and all that it starts; 0: no limit
    std::int64_t scratch_bytes = 0;                 ///< of the directory of a script; 0: no limit
    std::vector<std::string> secret_sources = {};   ///< with run_as: "file:/path", "env:NAME"; no others are read
    std::optional<core::RunAs> run_as = {};         ///< not sent: each runner is told its own user
};

/// The first message to a runner.
struct Setup {
    std::string worker;  ///< the worker's id
    PoolLimits limits;
    std::optional<platform::Identity> identity;  ///< the user of its runs; nullopt: the worker's own
    std::string program = {};  ///< the command of a runner program, of which the process is the host; empty: none
};

struct Run {
    engine::RunOrder order;
    std::optional<Duration> fence;  ///< when a fenced run must end, unless a later deadline arrives
};

// ---- The pool to a runner, on its control socket ----------------------------------------------------------------

struct Stop {
    store::Lease lease = 0;  ///< the run to stop: another may have begun meanwhile
    engine::StopCause cause = engine::StopCause::Drain;
    Duration grace{};
};

/// Sent to the keeper too: at the deadline the runner and its worker may both be suspended.
struct SetFence {
    Duration deadline{};
};

/// So many bytes of log text were stored.
struct Credit {
    std::uint64_t bytes = 0;
    store::Lease lease = 0;  ///< to the host of a program: the run whose text it was
};

/// To the host of a program, on its task socket: no run follows. Those under way may end, and then it leaves.
struct Retire {};

// ---- The host of a program to the pool, on its task socket -------------------------------------------------------

/// The program has said hello and takes runs.
struct ProgramReady {
    std::int32_t pid = 0;  ///< of the program
    ProgramHello hello;
};
/// The program wants no more runs. The answer is Retire; it executes the runs that come before.
struct ProgramLeaves {
    std::string why;
};
/// The program is dead, and the host follows.
struct ProgramDied {
    std::string how;
};
/// What the program printed that belongs to no run. On the control socket.
struct ProgramSaid {
    std::string text;
};

// ---- The pool and the keeper ------------------------------------------------------------------------------------

/// With two descriptors: the runner's ends of its task and its control socket.
struct SpawnRunner {
    engine::RunnerId runner = 0;
    std::string worker;
    std::optional<platform::Identity> identity;  ///< as in Setup
};

struct KillRunner {
    engine::RunnerId runner = 0;
};

/// Whether the runs that the runner gets from now on must end at the deadline of SetFence.
struct GuardRunner {
    engine::RunnerId runner = 0;
    bool is_fenced = false;
};

/// With one descriptor, which the keeper keeps open until it exits.
struct HoldOpen {};

/// With one descriptor, a sealed file: when the worker is gone and every process of its runners is dead, the keeper
/// becomes a witness, which reads the file. Without a descriptor: it does not.
struct SetWitness {};

/// From the keeper: the runner and every process that it had started are dead.
struct RunnerDied {
    engine::RunnerId runner = 0;
    std::int32_t status = 0;  ///< of waitpid
    std::string reason;       ///< what the status does not say: "killed: memory limit 512 MiB"; may be empty
    bool fenced = false;      ///< the keeper killed it because its run did not end at the deadline
};

/// Their order gives the type numbers of the protocol: the first has type 1.
using Message =
    std::variant<Setup, Run, engine::RunnerReady, engine::RunEnded, Stop, SetFence, Credit, engine::RunnerBeat,
                 engine::RunProgress, engine::RunLog, SpawnRunner, KillRunner, GuardRunner, HoldOpen, RunnerDied,
                 Retire, ProgramReady, ProgramLeaves, ProgramDied, ProgramSaid, SetWitness>;

// ---- Bytes ------------------------------------------------------------------------------------------------------

/// A frame: u32 length of what follows, u8 type, members.
void append_frame(std::string& out, const Message& message);

/// One packet without the length: u8 type, members.
[[nodiscard]] std::string to_packet(const Message& message);
/// nullopt when the bytes are not a message. Safe for any bytes.
[[nodiscard]] std::optional<Message> parse_packet(std::string_view packet);

inline constexpr std::size_t largest_frame = 256 * 1024 * 1024;

/// Cuts a stream of bytes into messages.
class FrameReader {
public:
    void feed(std::string_view bytes);
    /// The next whole message; nullopt when there is none yet, or the stream cannot be read (is_broken).
    [[nodiscard]] std::optional<Message> next();
    /// The bytes broke the protocol: nothing after them can be read.
    [[nodiscard]] bool is_broken() const { return is_broken_; }

private:
    std::string bytes_;
    std::size_t read_ = 0;  // so many of them
    bool is_broken_ = false;
};

/// Frames that wait to be written to a socket whose writer must not block.
class Outbox {
public:
    /// Writes as much as the socket takes and keeps the rest. False when the peer is gone.
    bool send(int socket, const Message& message);
    /// Writes more of the rest. False when the peer is gone.
    bool flush(int socket);
    [[nodiscard]] std::size_t size() const { return unsent_.size() - sent_; }

private:
    std::string unsent_;
    std::size_t sent_ = 0;  // so many bytes of it
};

}  // namespace holdfast::runner
