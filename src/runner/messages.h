#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/worker/runners.h"
#include "holdfast/result.h"
#include "runner/container_tool.h"

namespace holdfast::runner {

// What a worker's pool, its keeper and its runners say to each other. Each message lists its fields once, in
// messages.cc, for writing and for reading.

// The pool to a runner, on its task socket:

/// The first thing that a runner is told.
struct Setup {
    std::string worker;             ///< the worker's id
    std::int64_t max_tasks = 0;     ///< it leaves after so many; 0: never
    std::int64_t memory_limit = 0;  ///< bytes, of its whole process tree; 0: none
    std::int64_t max_payload = 0;   ///< bytes, of a result or a checkpoint
    ContainerTool containers;
    std::vector<std::string> pass_env;  ///< names of variables of the worker that scripts and containers get
    friend bool operator==(const Setup&, const Setup&) = default;
};

struct Run {
    engine::RunOrder order;
    std::optional<Duration> fence;  ///< when a fenced run must end, if no later deadline comes
};

// A runner to the pool, on its task socket:

struct Ready {
    std::int32_t pid = 0;
    friend bool operator==(const Ready&, const Ready&) = default;
};

struct Ended {
    store::Lease lease = 0;
    bool completed = false;
    bool saw_stop = false;
    bool threw_stop = false;
    bool leaves = false;
    std::string result;
    TaskError error;
    friend bool operator==(const Ended&, const Ended&) = default;
};

// The pool to a runner, on its control socket:

struct Stop {
    store::Lease lease = 0;  ///< the run that is meant: another may have begun meanwhile
    engine::StopCause cause = engine::StopCause::Drain;
    Duration grace{};
    friend bool operator==(const Stop&, const Stop&) = default;
};

/// Told to the keeper too: a runner may be stopped at the deadline, and its worker with it.
struct SetFence {
    Duration deadline{};
    friend bool operator==(const SetFence&, const SetFence&) = default;
};

/// So many bytes of log text were stored.
struct Credit {
    std::uint64_t bytes = 0;
    friend bool operator==(const Credit&, const Credit&) = default;
};

// A runner to the pool, on its control socket:

struct Beat {
    friend bool operator==(const Beat&, const Beat&) = default;
};

struct Progressed {
    store::Lease lease = 0;
    std::optional<double> fraction;
    std::string text;
    std::optional<std::string> checkpoint;
    friend bool operator==(const Progressed&, const Progressed&) = default;
};

struct Printed {
    store::Lease lease = 0;
    std::string stream;
    std::string text;
    Timestamp at;
    friend bool operator==(const Printed&, const Printed&) = default;
};

// The pool and the keeper:

/// With two descriptors: the runner's ends of its task and its control socket.
struct SpawnRunner {
    engine::RunnerId runner = 0;
    std::string worker;
    friend bool operator==(const SpawnRunner&, const SpawnRunner&) = default;
};

struct KillRunner {
    engine::RunnerId runner = 0;
    friend bool operator==(const KillRunner&, const KillRunner&) = default;
};

/// From now on the runner has runs that must end at the deadline of SetFence, or has none.
struct GuardRunner {
    engine::RunnerId runner = 0;
    bool is_fenced = false;
    friend bool operator==(const GuardRunner&, const GuardRunner&) = default;
};

/// With one descriptor, that the keeper keeps open until it is gone itself.
struct HoldOpen {
    friend bool operator==(const HoldOpen&, const HoldOpen&) = default;
};

/// From the keeper: the runner and every process that it had started are dead.
struct RunnerDied {
    engine::RunnerId runner = 0;
    std::int32_t status = 0;  ///< of waitpid
    std::string reason;       ///< what the keeper knows beyond the status: "killed: memory limit 512 MiB"; or empty
    bool fenced = false;      ///< the keeper killed it, because it did not end its run at the deadline
    friend bool operator==(const RunnerDied&, const RunnerDied&) = default;
};

/// Their order is the wire's: the first has type 1.
using Message = std::variant<Setup, Run, Ready, Ended, Stop, SetFence, Credit, Beat, Progressed, Printed, SpawnRunner,
                             KillRunner, GuardRunner, HoldOpen, RunnerDied>;

/// A frame: u32 length of what follows, u8 type, fields.
void append_frame(std::string& out, const Message& message);

/// One packet without the length: u8 type, fields.
[[nodiscard]] std::string to_packet(const Message& message);
/// nullopt when the bytes are no message, whatever they are.
[[nodiscard]] std::optional<Message> parse_packet(std::string_view packet);

inline constexpr std::size_t largest_frame = 256 * 1024 * 1024;

/// Cuts a stream of bytes into messages.
class FrameReader {
public:
    void feed(std::string_view bytes);
    /// The next whole message; nullopt when there is none yet, or the stream cannot be read (is_broken).
    [[nodiscard]] std::optional<Message> next();
    /// What came is not the protocol: nothing that follows can be read.
    [[nodiscard]] bool is_broken() const { return is_broken_; }

private:
    std::string bytes_;
    std::size_t read_ = 0;  // so many of them
    bool is_broken_ = false;
};

}  // namespace holdfast::runner
