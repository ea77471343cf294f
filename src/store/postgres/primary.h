#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/host_choice.h"

namespace holdfast::postgres {

/// What the connections of this process to one URL tell each other: at which host the primary is, and whether a
/// commit is in doubt. Hosts are numbered in the order of the URL. Thread-safe.
class Primary {
public:
    /// The same object for the same URL, as long as anyone holds it.
    [[nodiscard]] static std::shared_ptr<Primary> of(const std::string& url);

    /// Where it was found in the last two seconds; nullopt: nobody knows, or a connection to it was lost since. An
    /// older answer is not trusted: this process may have been stopped meanwhile, and the primary be another.
    [[nodiscard]] std::optional<std::size_t> host();
    void found(std::size_t host, std::int64_t timeline);
    /// How often it was found at another host than before.
    [[nodiscard]] std::uint64_t moves() const { return moves_; }
    /// The turn to search for it while a call waits: one connection does so for all. Empty: another has the turn.
    [[nodiscard]] std::unique_lock<std::mutex> try_to_search() {
        std::unique_lock turn(searching_, std::try_to_lock);
        return turn.owns_lock() ? std::move(turn) : std::unique_lock<std::mutex>();
    }
    /// A connection to this host broke or turned out to be read-only: the next connection asks all hosts.
    void suspect(std::size_t host);
    /// Whether a connection to this host has to follow the primary to another one.
    [[nodiscard]] bool has_left(std::size_t host) const { return last_ != unknown && last_ != host; }

    /// The history that this process uses. A host with it is preferred.
    void know(const core::Incarnation& incarnation);
    [[nodiscard]] core::LastUse last_use() const;

    /// A commit of this process may or may not have been made, or is not on the standby yet. Begins with 1: the
    /// process may have been started to repeat what an earlier one left in doubt.
    void doubt() { ++doubts_; }
    [[nodiscard]] std::uint64_t doubts() const { return doubts_; }
    /// Whether everything that was in doubt has been followed by a commit that reached the standby.
    [[nodiscard]] bool is_certain() const { return confirmed_ >= doubts_; }
    /// A commit that was begun when there were `doubts` has been acknowledged.
    void confirm(std::uint64_t doubts);

private:
    static constexpr std::size_t unknown = static_cast<std::size_t>(-1);

    std::mutex searching_;
    std::atomic<std::uint64_t> moves_ = 0;
    mutable std::mutex mutex_;
    std::optional<std::size_t> host_;
    std::chrono::steady_clock::time_point found_at_ = {};
    std::atomic<std::size_t> last_ = unknown;  // where it was found last, suspected or not
    core::LastUse last_use_;
    std::atomic<std::uint64_t> doubts_ = 1;
    std::atomic<std::uint64_t> confirmed_ = 0;
};

}  // namespace holdfast::postgres
