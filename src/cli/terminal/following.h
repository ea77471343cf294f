#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <memory>
#include <thread>

#include "store/client_store.h"

namespace holdfast::cli {

// For commands that follow a task or a job until it ends.

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

/// Paces a command that polls the store: it looks soon after a change, otherwise about four times a second, and less
/// often when a look is slow, so that looking stays a small part of the store's load.
class LookPace {
public:
    explicit LookPace(store::ClientStore& store) : watch_(store.watch(store::Topic::Done)) {}

    /// Called before each look.
    void begin() { looked_at_ = std::chrono::steady_clock::now(); }
    /// Called after each look; returns when the next one is due.
    void rest() {
        using namespace std::chrono_literals;
        const auto cost = std::chrono::floor<Duration>(std::chrono::steady_clock::now() - looked_at_);
        std::this_thread::sleep_for(std::clamp<Duration>(4 * cost, 50ms, 5s));
        (void)watch_->wait(200ms);
    }

private:
    std::unique_ptr<store::Watch> watch_;
    std::chrono::steady_clock::time_point looked_at_ = std::chrono::steady_clock::now();
};

/// Reads page after page, until one is not full, and passes on each record.
template <typename ReadPage, typename Take>
void read_pages(ReadPage read, Take take) {
    constexpr std::size_t page_size = 1000;
    for (;;) {
        const auto page = read(page_size);
        for (const auto& record : page) take(record);
        if (page.size() < page_size) return;
    }
}

}  // namespace holdfast::cli
