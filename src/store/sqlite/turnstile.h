#pragma once

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

/// Where the writers of all processes queue for the database. A writer takes the gate, waits there for the turn, and
/// releases the gate. So only one writer at a time waits for the turn, and a process that writes without pause has to
/// pass the gate each time, beside all others. The locks are polled, more often the longer a writer has waited:
/// chance decides, not order. Being overtaken for long is unlikely (unlike inside SQLite's own busy handler), but no
/// bound is promised. Beats skip the gate: however many writers stand there, a beat competes with one of them only.
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
    std::string database_;
    Rank rank_;
    Descriptor gate_;
    Descriptor turn_;
};

}  // namespace holdfast::sqlite
