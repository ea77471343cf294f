#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "store/sqlite/patience.h"

namespace holdfast::sqlite {

/// The file that a writer locks for its turn.
inline constexpr const char* turn_suffix = "-turn";

/// Creates an empty file that only its owner can read, whatever the umask; leaves an existing file as it is. SQLite
/// must not have opened the file in this process: its locks would be dropped.
void create_private(const std::string& path);

/// Opens a file beside the database, creating it with the database's own permissions when it is missing.
[[nodiscard]] Descriptor open_beside(const std::string& database, std::string_view suffix);

/// Numbers in the memory that all processes share through the file of the gate. A process that gives a lock back
/// counts on, so that a process that waits for it need not poll. Only a hint: the locks alone say whose turn it is,
/// and a holder that dies counts nothing. Without room on the disk there is no such memory, and waiters poll.
class LockNews {
public:
    enum class Of { Gate, Turn };

    explicit LockNews(int gate);
    ~LockNews();
    LockNews(const LockNews&) = delete;
    LockNews& operator=(const LockNews&) = delete;

    [[nodiscard]] std::uint32_t seen(Of lock) const;
    /// Sleeps until something was told since `seen`, at most so long.
    void wait(Of lock, std::uint32_t seen, Duration at_most) const;
    /// Wakes one waiter at the gate, or all that wait for the turn: the next writer must not always be ahead of a
    /// beat.
    void tell(Of lock) const;

private:
    [[nodiscard]] std::atomic<std::uint32_t>* number(Of lock) const;

    void* memory_;
};

/// Where the writers of all processes queue for the database. A writer takes the gate, waits there for the turn, and
/// releases the gate. So only one writer at a time waits for the turn, and a process that writes without pause has to
/// pass the gate again and again, beside all others: each time it has had the turn for a millisecond. (Passing it
/// after every transaction would cost more than most transactions.) Chance decides at the gate, not order. Being
/// overtaken for long is unlikely (unlike inside SQLite's own busy handler), but no bound is promised. Beats skip the
/// gate: however many writers stand there, a beat competes with one of them only.
class Turnstile {
public:
    enum class Rank { Work, Beat };

    Turnstile(const std::string& database, Rank rank);

    /// Waits for the turn. Throws store::Unavailable, naming the process that holds it, when the deadline has passed;
    /// when there is none, after work_patience.
    void enter(const Deadline& deadline);
    void enter(Duration patience) { enter(Deadline::in(patience)); }
    void leave();

private:
    using MonotonicTime = std::chrono::steady_clock::time_point;

    [[nodiscard]] bool may_come_back() const;
    [[nodiscard]] bool comes_back();
    [[nodiscard]] bool passes_gate(MonotonicTime deadline);
    [[nodiscard]] bool lock_until(LockNews::Of lock, MonotonicTime deadline);

    std::string database_;
    Rank rank_;
    Descriptor gate_;
    Descriptor turn_;
    LockNews news_;
    MonotonicTime passed_gate_;  // at the last time
    bool came_back_ = false;     // without passing it
};

}  // namespace holdfast::sqlite
