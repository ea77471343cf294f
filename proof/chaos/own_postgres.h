#pragma once

#include <sys/types.h>

#include <string>

namespace holdfast::chaos {

/// A PostgreSQL server of our own, on a port of loopback, with fsync on; a child of this process, and as the user
/// postgres when this process is root's.
class OwnPostgres {
public:
    /// Makes its database cluster in `folder`/data; its log is `log`. Throws std::runtime_error.
    OwnPostgres(std::string folder, std::string log);
    ~OwnPostgres();
    OwnPostgres(const OwnPostgres&) = delete;
    OwnPostgres& operator=(const OwnPostgres&) = delete;

    /// Throws std::runtime_error when it cannot be started at all. Does not wait until it takes connections.
    void start();
    void send(int signal) const;  ///< SIGINT: fast shutdown; SIGQUIT: immediate
    [[nodiscard]] bool is_running() const { return pid_ > 0; }
    [[nodiscard]] pid_t pid() const { return pid_; }
    /// A child of this process has ended.
    void note_end(pid_t pid);
    /// Starts it and waits until it takes connections. Throws std::runtime_error with its log.
    void start_and_wait();

    [[nodiscard]] int port() const { return port_; }
    [[nodiscard]] std::string url(int port) const;  ///< through that port: its own, or a gate's
    /// The whole database as SQL, for somebody who looks into what went wrong.
    void dump(const std::string& path) const;

private:
    [[nodiscard]] std::string data() const { return folder_ + "/data"; }
    [[nodiscard]] bool takes_connections() const;

    std::string folder_;
    std::string log_;
    std::string programs_;  // the directory
    int port_ = 0;
    pid_t pid_ = 0;
};

}  // namespace holdfast::chaos
