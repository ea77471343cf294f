#pragma once

#include <array>
#include <csignal>

namespace holdfast::cli {

/// While it lives, Ctrl-C and its like only leave a note, so that the command can tidy up. A reader of the
/// output that goes away does not end the process either: it is seen at the stream. One at a time.
class SignalNotes {
public:
    SignalNotes();
    ~SignalNotes();
    SignalNotes(const SignalNotes&) = delete;
    SignalNotes& operator=(const SignalNotes&) = delete;

    /// Whether a signal asked the process to end.
    [[nodiscard]] static bool interrupted();

private:
    static constexpr std::array<int, 3> signals = {SIGINT, SIGTERM, SIGHUP};
    std::array<struct sigaction, 3> before_{};
    struct sigaction before_pipe_ {};
};

}  // namespace holdfast::cli
