#pragma once

#include <array>
#include <csignal>

namespace holdfast::cli {

/// While this object exists, Ctrl-C and similar signals only set a flag, so that the command can clean up. SIGPIPE is
/// ignored: a closed output is detected at the stream. Only one object may exist at a time.
class SignalNotes {
public:
    SignalNotes();
    ~SignalNotes();
    SignalNotes(const SignalNotes&) = delete;
    SignalNotes& operator=(const SignalNotes&) = delete;

    /// Whether a signal has asked the process to end.
    [[nodiscard]] static bool interrupted();

private:
    static constexpr std::array<int, 3> signals = {SIGINT, SIGTERM, SIGHUP};
    std::array<struct sigaction, 3> before_{};
    struct sigaction before_pipe_ {};
};

}  // namespace holdfast::cli
