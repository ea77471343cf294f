#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "holdfast/result.h"
#include "platform/identity.h"
#include "runner/program_protocol.h"

namespace holdfast::runner {

/// A runner program as a child process, and this process's end of their socket, not blocking.
struct ProgramProcess {
    pid_t pid = -1;  ///< leads a session; killed when the thread that has started it ends
    Descriptor socket;
};

struct ProgramParams {
    std::string command;  ///< for `sh -c`
    std::int64_t max_payload = 0;
    std::vector<std::string> environment = {};  ///< "NAME=value": all of it, but for the variables of the protocol
    std::optional<platform::Identity> identity = {};  ///< the user that it becomes; nullopt: that of this process
};

/// Starts the program. The error is a message for people. Not beside other threads that start processes.
[[nodiscard]] Result<ProgramProcess, std::string> start_program(const ProgramParams& params);

/// Cuts what a program sends into lines.
class LineReader {
public:
    explicit LineReader(std::size_t longest) : longest_(longest) {}

    void feed(std::string_view bytes);
    /// The next whole line, without its end; valid until the next feed(). nullopt: there is none yet.
    [[nodiscard]] std::optional<std::string_view> next();
    /// A line is longer than allowed: nothing after it can be read.
    [[nodiscard]] bool is_over() const;

private:
    std::size_t longest_;
    std::string bytes_;
    std::size_t read_ = 0;      // so many of them
    std::size_t searched_ = 0;  // no line ends between read_ and here
};

/// Starts the program, reads its hello, and ends it. The error is a sentence for people that names the command.
[[nodiscard]] Result<ProgramHello, std::string> ask_program(const ProgramParams& params, Duration patience);

}  // namespace holdfast::runner
