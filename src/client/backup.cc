#include "client/backup.h"

#include <fcntl.h>

#include <filesystem>
#include <system_error>

#include "base/text.h"
#include "client/backup_kinds.h"
#include "client/connect.h"
#include "platform/files.h"

namespace holdfast::client {

namespace {

namespace fs = std::filesystem;

bool is_out_of_space(const std::error_code& code) {
    return code == std::errc::no_space_on_device || code == std::errc::file_too_large || code.value() == EDQUOT;
}

/// Says what a person has to do about a failed call of the operating system.
template <typename Body>
auto explained(const Body& body) {
    try {
        return body();
    } catch (const std::system_error& failure) {
        if (is_out_of_space(failure.code())) throw Full(concat("no space left: ", failure.what()));
        if (failure.code() == std::errc::file_exists)
            throw BadInput(concat("there is a file already: ", failure.what()));
        throw Unusable(failure.what());
    }
}

}  // namespace

void require_new_file(const BackupParams& params) {
    std::error_code ignored;
    if (fs::is_directory(params.file, ignored))
        throw BadInput(concat(params.file, " is a folder: name a file in it"));
    if (!params.replaces && fs::exists(fs::symlink_status(params.file, ignored)))
        throw BadInput(concat(params.file, " exists: name another file, or replace it with --force"));
}

void require_backup(const std::string& file, BackupKind kind) {
    const auto content = platform::read_regular_file(file, 16, 0);
    if (!content) throw BadInput(concat(file, " cannot be read, or is not a file"));
    const bool is_sqlite = content->starts_with(std::string_view("SQLite format 3\0", 16));
    const bool is_postgres = content->starts_with("PGDMP");
    if (kind == BackupKind::Sqlite && is_postgres)
        throw BadInput(concat(file, " is a backup of a PostgreSQL store: name such a store with --store"));
    if (kind == BackupKind::Postgres && is_sqlite)
        throw BadInput(concat(file, " is a backup of an SQLite store: name such a store with --store"));
    if (!is_sqlite && !is_postgres) throw BadInput(concat(file, " is not a backup of holdfast"));
}

BackupAnswer back_up(const BackupParams& params) {
    const StoreAddress address = parse_store_url(params.url);
    return explained([&] {
        return address.kind == StoreAddress::Kind::Sqlite ? back_up_sqlite(address.place, params)
                                                          : back_up_postgres(params);
    });
}

store::RestartAnswer restore(const RestoreParams& params) {
    const StoreAddress address = parse_store_url(params.url);
    return explained([&] {
        return address.kind == StoreAddress::Kind::Sqlite ? restore_sqlite(address.place, params)
                                                          : restore_postgres(params);
    });
}

}  // namespace holdfast::client
