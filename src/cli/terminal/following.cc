#include "cli/terminal/following.h"

namespace holdfast::cli {

namespace {

volatile sig_atomic_t interrupting_signal = 0;

}  // namespace

SignalNotes::SignalNotes() {
    struct sigaction noted {};
    noted.sa_handler = [](int signal) { interrupting_signal = signal; };
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &noted, &before_[i]);
    struct sigaction ignored {};
    ignored.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignored, &before_pipe_);
}

SignalNotes::~SignalNotes() {
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before_[i], nullptr);
    sigaction(SIGPIPE, &before_pipe_, nullptr);
}

bool SignalNotes::interrupted() {
    return interrupting_signal != 0;
}

}  // namespace holdfast::cli
