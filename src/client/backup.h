#pragma once

#include <cstdint>
#include <string>

#include "store/restored.h"

namespace holdfast::client {

struct BackupParams {
    std::string url = {};   ///< of the store
    std::string file = {};  ///< to write
    bool replaces = false;  ///< a file that is there already
};
struct BackupAnswer {
    store::CheckReport check = {};
    bool is_written = false;  ///< false: pages of the store are damaged, and a copy would be, too
    int schema = 0;           ///< version
    bool is_current = false;  ///< false: an older schema, so only the pages were checked
    std::uintmax_t bytes = 0;
};
/// Writes a store, which may be in use, into one file: for SQLite a database, for PostgreSQL an archive of pg_dump.
/// Reads what was written, and checks it. The file is there whole or not at all. Throws BadInput for the file or the
/// URL, StoreError for the store.
[[nodiscard]] BackupAnswer back_up(const BackupParams& params);

struct RestoreParams {
    std::string url = {};   ///< of the store
    std::string file = {};  ///< that back_up() wrote
    bool replaces = false;  ///< a store that is there already
    store::RestartParams restart = {};
};
/// Makes a store of a backup. Refuses while a process uses the store that is to be replaced. The store is replaced
/// whole or not at all. Throws BadInput for the file, the URL, or a store that is there already; StoreError for the
/// store.
[[nodiscard]] store::RestartAnswer restore(const RestoreParams& params);

}  // namespace holdfast::client
