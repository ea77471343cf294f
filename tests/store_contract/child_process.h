#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "store_contract/fake_clock.h"
#include "store_contract/test_database.h"

namespace holdfast::contract {

/// Another process on the same database: this program again, in a role of child_roles.cc.
/// It ends when its input is closed; killed and reaped at the latest when this is destroyed.
class ChildProcess {
public:
    struct Params {
        std::string role;
        StoreKind kind;
        std::string address;
        Timestamp now;
        std::vector<std::string> arguments = {};
    };
    explicit ChildProcess(const Params& params);
    ChildProcess(ChildProcess&& other) noexcept;
    ChildProcess& operator=(ChildProcess&&) = delete;
    ~ChildProcess();

    /// The next whole line that it printed; nullopt when it has ended.
    [[nodiscard]] std::optional<std::string> read_line();
    [[nodiscard]] std::vector<std::string> read_to_end();
    void write_line(const std::string& line);
    void close_input();
    /// SIGKILL. What it had printed before can still be read.
    void kill();
    /// Closes its input and waits; its exit code, or -signal.
    int wait();
    [[nodiscard]] pid_t pid() const { return pid_; }

private:
    pid_t pid_ = -1;
    int input_ = -1;
    int output_ = -1;
    std::string unread_;
};

/// What a role sees of the process that it runs in.
struct ChildContext {
    OpenParams open;
    FakeClock clock;
    std::vector<std::string> arguments;

    /// Prints a line and flushes: the parent may count on what it reads even if this process is killed next.
    void say(const std::string& line) const;
    /// The next line of input, without its end; nullopt at its end.
    [[nodiscard]] std::optional<std::string> hear() const;
    [[nodiscard]] bool told_to_stop() const;
};

/// The main function of a child; what it returns is the exit code.
int run_child(int argc, char** argv);

}  // namespace holdfast::contract
