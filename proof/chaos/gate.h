#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/descriptor.h"

namespace holdfast::chaos {

/// A proxy on loopback in front of a server, which can be shut. Every function is safe from any thread.
class Gate {
public:
    enum class Mode {
        Open,
        Cut,     ///< no byte passes, connections stay, and new ones wait
        Refuse,  ///< all connections are reset, also new ones
    };

    /// Throws std::system_error.
    explicit Gate(int server_port);
    ~Gate();
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;

    [[nodiscard]] int port() const { return port_; }
    void set(Mode mode);
    /// Resets every connection; new ones are accepted.
    void reset();

private:
    struct Connection;

    void run();
    void accept_new();
    void carry(Mode mode);
    void drop_all();
    void ring() const;

    const int server_port_;
    int port_ = 0;
    Descriptor door_;
    Descriptor bell_;
    std::atomic<Mode> mode_ = Mode::Open;
    std::atomic<bool> resets_ = false;
    std::atomic<bool> stops_ = false;
    std::vector<std::unique_ptr<Connection>> connections_;  // used only by the thread
    std::thread thread_;
};

/// A loopback port that is free at the moment.
[[nodiscard]] int free_port();
[[nodiscard]] bool is_free_port(int port);

}  // namespace holdfast::chaos
