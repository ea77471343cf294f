#pragma once

#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "holdfast/time.h"

namespace holdfast::sqlite {

/// Creates an empty file that only its owner can read, whatever the umask; one that is there is left as it is. SQLite
/// must not have opened the file in this process: its locks would be dropped.
void create_private(const std::string& path);

/// Opens a file beside the database, creating it with the database's own permissions when it is missing.
[[nodiscard]] Descriptor open_beside(const std::string& database, std::string_view suffix);

/// Where the writers of all processes queue for the database: whoever wants to write takes the gate, waits there for
/// the turn, and lets go of the gate. Only one waits for the turn at a time, so a process that writes without pause
/// has to come by the gate again each time, beside all others. The locks are polled, more often by who has waited
/// longer: who gets one is chance, not order. To be overtaken for long is unlikely, as it is not inside SQLite's own
/// busy handler, but no bound is promised. Beats pass by the gate: however many stand there, a beat has only the
/// first of them beside it.
class Turnstile {
public:
    enum class Rank { Work, Beat };

    Turnstile(const std::string& database, Rank rank);

    /// Waits for the turn. Throws store::Unavailable, naming the process that holds it, when `patience` has passed.
    void enter(Duration patience);
    void leave();

private:
    std::string database_;
    Rank rank_;
    Descriptor gate_;
    Descriptor turn_;
};

}  // namespace holdfast::sqlite
