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

// The messages between a worker's pool, its keeper and its runners. messages.cc lists the fields of each message
// once, for writing and for reading.

// The pool to a runner, on its task socket:

/// The first message to a runner.
struct Setup {
    std::string worker;             ///< the worker's id
    std::int64_t max_tasks = 0;     ///< it leaves after so many; 0: never
    std::int64_t memory_limit = 0;  ///< bytes, of its whole process tree; 0: none
    std::int64_t max_payload = 0;   ///< bytes, of a result or a checkpoint
    ContainerTool containers;
    std::vector<std::string> pass_env;  ///< names of the worker's variables that scripts and containers get
    friend bool operator==(const Setup&, const Setup&) = default;
};

struct Run {
    engine::RunOrder order;
    std::optional<Duration> fence;  ///< when a fenced run must end, unless a later deadline arrives
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
    store::Lease lease = 0;  ///< the run to stop: another may have begun meanwhile
    engine::StopCause cause = engine::StopCause::Drain;
    Duration grace{};
    friend bool operator==(const Stop&, const Stop&) = default;
};

/// Sent to the keeper too: at the deadline the runner and its worker may both be suspended.
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

/// Whether the runner's runs must end at the deadline of SetFence from now on.
struct GuardRunner {
    engine::RunnerId runner = 0;
    bool is_fenced = false;
    friend bool operator==(const GuardRunner&, const GuardRunner&) = default;
};

/// With one descriptor, which the keeper keeps open until it exits.
struct HoldOpen {
    friend bool operator==(const HoldOpen&, const HoldOpen&) = default;
};

/// From the keeper: the runner and every process that it had started are dead.
struct RunnerDied {
    engine::RunnerId runner = 0;
    std::int32_t status = 0;  ///< of waitpid
    std::string reason;       ///< what the status does not say: "killed: memory limit 512 MiB"; may be empty
    bool fenced = false;      ///< the keeper killed it because its run did not end at the deadline
    friend bool operator==(const RunnerDied&, const RunnerDied&) = default;
};

/// Their order gives the type numbers of the protocol: the first has type 1.
using Message = std::variant<Setup, Run, Ready, Ended, Stop, SetFence, Credit, Beat, Progressed, Printed, SpawnRunner,
                             KillRunner, GuardRunner, HoldOpen, RunnerDied>;

/// A frame: u32 length of what follows, u8 type, fields.
void append_frame(std::string& out, const Message& message);

/// One packet without the length: u8 type, fields.
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

}  // namespace holdfast::runner
