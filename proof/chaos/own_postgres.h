#pragma once

#include <optional>
#include <string>

#include "proof/crew/process.h"

namespace holdfast::chaos {

/// A private PostgreSQL server on a loopback port, with fsync on: a child of this process. Runs as the user postgres
/// when this process runs as root.
class OwnPostgres {
public:
    /// Creates its database cluster in `folder`/data; logs to `log`. Throws std::runtime_error.
    OwnPostgres(std::string folder, std::string log);
    ~OwnPostgres();
    OwnPostgres(const OwnPostgres&) = delete;
    OwnPostgres& operator=(const OwnPostgres&) = delete;

    /// Starts it, without waiting until it accepts connections. Throws std::runtime_error.
    void start();
    void send(int signal) const;  ///< SIGINT: fast shutdown; SIGQUIT: immediate
    [[nodiscard]] bool is_running() const { return server_ && !server_->has_ended(); }
    [[nodiscard]] pid_t pid() const { return server_->pid(); }
    /// Notes that a child of this process has ended, with this status of waitpid.
    void note_end(pid_t pid, int status);
    /// Starts it and waits until it accepts connections. Throws std::runtime_error with its log.
    void start_and_wait();

    [[nodiscard]] int port() const { return port_; }
    [[nodiscard]] std::string url(int port) const;  ///< through this port: its own, or a gate's
    /// Writes the whole database as SQL, as evidence of what went wrong.
    void dump(const std::string& path) const;

private:
    [[nodiscard]] std::string data() const { return folder_ + "/data"; }

    std::string folder_;
    std::string log_;
    std::string programs_;  // the directory
    int port_ = 0;
    std::optional<crew::Process> server_;
};

}  // namespace holdfast::chaos
