#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/worker/runners.h"
#include "holdfast/result.h"

namespace holdfast::runner {

// The protocol between a worker and a runner program (docs/runner-protocol.md): JSON lines on one socket.

inline constexpr int program_protocol = 1;
/// The variable with the number of the descriptor that is the program's end of the socket.
inline constexpr std::string_view program_socket_variable = "HOLDFAST_RUNNER_FD";
/// The variable with the most bytes of a result, a checkpoint or error data.
inline constexpr std::string_view program_payload_variable = "HOLDFAST_MAX_PAYLOAD_BYTES";
inline constexpr int most_program_concurrency = 1000;
inline constexpr std::size_t most_program_tasks = 1000;

/// The longest line in either direction, without its end: arguments and a checkpoint, and what is around them.
[[nodiscard]] constexpr std::size_t longest_program_line(std::int64_t max_payload) {
    return 2 * static_cast<std::size_t>(max_payload) + std::size_t{256} * 1024;
}

struct ProgramTask {
    std::string name;
    std::string schema = {};  ///< JSON text, of its arguments; empty: none

    friend bool operator==(const ProgramTask&, const ProgramTask&) = default;
};

// ---- From the program --------------------------------------------------------------------------------------------

/// What a program can do; its first message.
struct ProgramHello {
    std::string sdk = {};
    std::vector<ProgramTask> tasks = {};  ///< their names are all different
    int concurrency = 1;                  ///< how many runs at once
    std::string code = {};                ///< differs when its code does

    friend bool operator==(const ProgramHello&, const ProgramHello&) = default;
};

/// The end of a run. Its `lease` names the run; without a `completed` value it failed.
struct ProgramEnd {
    engine::RunEnded ended;
};
struct ProgramProgress {
    engine::RunProgress progress;
};
struct ProgramLog {
    store::Lease lease = 0;
    std::string text;
};
/// It takes no more runs.
struct ProgramBye {
    std::string reason;
};
using ProgramMessage = std::variant<ProgramHello, ProgramEnd, ProgramProgress, ProgramLog, ProgramBye>;

/// Reads one line of a program, without its newline. The error says what is wrong with it, to follow "the program
/// sent ".
[[nodiscard]] Result<ProgramMessage, std::string> parse_program_line(std::string_view line, std::int64_t max_payload);

// ---- To the program: lines with their newline --------------------------------------------------------------------

[[nodiscard]] std::string run_line(const engine::RunOrder& order);
[[nodiscard]] std::string stop_line(store::Lease lease, engine::StopCause cause, Duration grace);
/// No more runs follow. The worker closes its side of the socket when those under way have ended.
[[nodiscard]] std::string bye_line(std::string_view reason);

}  // namespace holdfast::runner
