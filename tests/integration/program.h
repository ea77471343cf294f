#pragma once

#include <sys/types.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::integration {

/// How the built program is to be run.
struct RunParams {
    std::vector<std::string> arguments = {};
    std::map<std::string, std::string> environment = {};  ///< all of it, except PATH
    std::string folder = ".";
    std::string input = {};                           ///< at most a pipe's worth
    bool as_nobody = false;                           ///< give up root first, which no permission stops
    std::optional<unsigned long> max_file_size = {};  ///< a disk that is full
    std::string output_file = {};                     ///< instead of reading its output
    std::pair<unsigned short, unsigned short> terminal_size = {0, 0};  ///< rows and columns; of run_on_terminal
};

struct Ran {
    int exit_code = -1;  ///< or -signal
    std::string out;
    std::string err;

    [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(out); }
    /// Of JSON lines.
    [[nodiscard]] std::vector<nlohmann::json> json_lines() const;
    [[nodiscard]] std::vector<std::string> lines() const;
};

/// Runs the program to its end.
[[nodiscard]] Ran run_program(const RunParams& params);
/// Runs another one.
[[nodiscard]] Ran run_program(const std::string& path, const RunParams& params);
/// Runs it on a terminal; `err` is in `out`.
[[nodiscard]] Ran run_on_terminal(const RunParams& params);

[[nodiscard]] std::string program_path();

/// The program at work in the background.
class RunningProgram {
public:
    explicit RunningProgram(const RunParams& params);
    RunningProgram(RunningProgram&& other) noexcept;
    RunningProgram& operator=(RunningProgram&&) = delete;
    ~RunningProgram();

    /// The next whole line of its output.
    [[nodiscard]] std::string read_line();
    [[nodiscard]] Ran finish();
    void send(int signal) const;

private:
    pid_t pid_ = -1;
    int out_ = -1;
    int err_ = -1;
    std::string unread_;
};

}  // namespace holdfast::integration
