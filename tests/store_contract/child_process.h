#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proof/crew/process.h"
#include "store_contract/fake_clock.h"
#include "store_contract/test_database.h"

namespace holdfast::contract {

/// Another process on the same database: this program again, in a role of child_roles.cc. It ends when its input is
/// closed.
class ChildProcess : public crew::Process {
public:
    struct Params {
        std::string role;
        StoreKind kind;
        std::string address;
        Timestamp now;
        std::vector<std::string> arguments = {};
    };
    explicit ChildProcess(const Params& params);

    /// The lines that it still prints, until it ends.
    [[nodiscard]] std::vector<std::string> read_lines();
    void write_line(const std::string& line) const { write(line + "\n"); }
    /// Closes its input and waits for its end; returns its exit code, or -signal.
    int wait();
};

/// The process that a role runs in.
struct ChildContext {
    OpenParams open;
    FakeClock clock;
    std::vector<std::string> arguments;

    /// Prints a line and flushes, so that the parent can read it even if this process is killed next.
    void say(const std::string& line) const;
    /// The next line of input, without its end; nullopt at its end.
    [[nodiscard]] std::optional<std::string> hear() const;
    [[nodiscard]] bool told_to_stop() const;
};

/// The main function of a child; returns its exit code.
int run_child(int argc, char** argv);

}  // namespace holdfast::contract
