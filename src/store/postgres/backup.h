#pragma once

#include <functional>
#include <string>
#include <vector>

#include "store/postgres/postgres_store.h"
#include "store/restored.h"

namespace holdfast::postgres {

/// How a program of PostgreSQL connects to a store: nothing secret stands on its command line, which every user of
/// the machine can read.
struct ProgramAccess {
    std::string connection;                ///< for --dbname, without a password
    std::vector<std::string> environment;  ///< to be added to the program's: "PGPASSWORD=..."
};
/// Throws BadInput for a URL that cannot be read or that has a secret which only a command line could carry.
[[nodiscard]] ProgramAccess access_for_programs(const std::string& url);

/// A view of the store that other sessions can share, while it is held.
struct Snapshot {
    std::string id;            ///< for pg_dump --snapshot
    int server = 0;            ///< major version of the server
    int schema = 0;            ///< version
    bool is_current = false;   ///< false: another program's version, so only the pages were checked
    store::CheckReport check;  ///< of what it shows
};
/// Takes a snapshot, checks it, and holds it during `use`. Throws as open_store() does.
void with_snapshot(const OpenParams& params, const std::function<void(const Snapshot&)>& use);

/// The SQL that pg_restore makes of a backup: the next line, without its end; false when there are no more. Throws
/// when pg_restore fails.
using BackupScript = std::function<bool(std::string&)>;
struct RestoreTarget {
    OpenParams store;
    bool replaces = false;  ///< a store that is there already is removed
    std::string name;       ///< the backup, for messages
};

/// Which processes use the store, a sentence each: sessions, and workers that sent a heartbeat in the last 30 s.
/// Empty: none. Throws as open_store() does.
[[nodiscard]] std::vector<std::string> users_of(const OpenParams& params);
[[nodiscard]] std::string in_use_sentence(const std::vector<std::string>& users);
/// The major version of the server.
[[nodiscard]] int server_version(const OpenParams& params);

/// Restores the schema in one transaction: removes the old one, runs the script, migrates, checks, and gives the
/// store a new rank. Nothing has changed when it throws, or refuses what the check found. Throws BadInput when there
/// is a store that is to be kept, store::Unusable when the script is not that of a store, and as open_store() does.
[[nodiscard]] store::RestartAnswer restore(const RestoreTarget& target, const BackupScript& script,
                                           const store::RestartParams& params);

}  // namespace holdfast::postgres
