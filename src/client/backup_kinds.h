#pragma once

#include "client/backup.h"

namespace holdfast::client {

// The two kinds of stores, behind back_up() and restore().

/// `path`: of the database.
[[nodiscard]] BackupAnswer back_up_sqlite(const std::string& path, const BackupParams& params);
[[nodiscard]] store::RestartAnswer restore_sqlite(const std::string& path, const RestoreParams& params);

[[nodiscard]] BackupAnswer back_up_postgres(const BackupParams& params);
[[nodiscard]] store::RestartAnswer restore_postgres(const RestoreParams& params);

/// Throws BadInput unless a new file may be written there.
void require_new_file(const BackupParams& params);

enum class BackupKind { Sqlite, Postgres };
/// Throws BadInput unless the file is a backup of that kind of store, as far as its first bytes tell.
void require_backup(const std::string& file, BackupKind kind);

}  // namespace holdfast::client
