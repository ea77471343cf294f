#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>

#include "base/text.h"
#include "store/findings.h"
#include "store/rows.h"
#include "store/sqlite/pruned_ids.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

namespace {

using store::Finding;
using store::judged;
using Grade = store::Finding::Grade;

constexpr std::uint64_t scarce_bytes = 256ULL << 20;
constexpr std::uintmax_t long_log_bytes = 256ULL << 20;

Finding setting(Database& db, const char* what, Sql sql, std::string_view wanted, const char* advice) {
    const auto value = db.first(sql, store::read_as<std::string>).value_or("");
    return judged(value == wanted, Grade::Problem, what, value, advice);
}

Finding schema_finding(Database& db) {
    return {Grade::Ok, "schema version", concat(db.number("PRAGMA user_version")), ""};
}

/// Locks do not work, or not reliably, between machines that share a network file system.
Finding file_system_finding(const std::string& path) {
    struct statfs status {};
    if (statfs(path.c_str(), &status) != 0)
        return {Grade::Warning, "file system", "unknown", "check that the file is there"};
    constexpr std::array<std::int64_t, 5> network = {0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546};
    const bool remote =
        std::find(network.begin(), network.end(), static_cast<std::int64_t>(status.f_type)) != network.end();
    if (!remote) return {Grade::Ok, "file system", "local", ""};
    return {Grade::Problem, "file system", "network or FUSE",
            "move the database to a local disk, or use PostgreSQL: SQLite's locks are not safe there"};
}

Finding space_finding(const std::string& path) {
    struct statvfs status {};
    if (statvfs(path.c_str(), &status) != 0)
        return {Grade::Warning, "free space", "unknown", "check that the file is there"};
    const auto free = static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize;
    return judged(free >= scarce_bytes, Grade::Warning, "free space", concat(free >> 20, " MiB"),
                  "make room: without it nothing can be submitted or finished");
}

Finding directory_finding(const std::string& path) {
    auto directory = std::filesystem::path(path).parent_path();
    if (directory.empty()) directory = ".";
    const bool writable = access(directory.c_str(), W_OK) == 0;
    return judged(writable, Grade::Problem, "directory", writable ? "writable" : "not writable",
                  "the files beside the database (log, locks, bells) must be writable too");
}

Finding log_finding(const std::string& path) {
    std::error_code failure;
    const auto size = std::filesystem::file_size(path + "-wal", failure);
    if (failure) return {Grade::Ok, "write-ahead log", "none", ""};
    return judged(size <= long_log_bytes, Grade::Warning, "write-ahead log", concat(size >> 20, " MiB"),
                  "a reader keeps it from being shortened: end long-running readers of the file");
}

/// A process that is stopped inside its turn blocks all others; so does another program that does not end its
/// transaction.
Finding writers_finding(Lane& lane) {
    try {
        lane.try_to_write(std::chrono::seconds(2));
        return {Grade::Ok, "writers' turn", "free", ""};
    } catch (const store::Unavailable& blocked) {
        return {Grade::Problem, "writers' turn", blocked.what(), "continue that process (kill -CONT) or end it"};
    }
}

/// The store holds arguments and results that may be confidential.
Finding permissions_finding(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0)
        return {Grade::Warning, "permissions", "unknown", "check that the file is there"};
    std::array<char, 8> mode{};
    std::snprintf(mode.data(), mode.size(), "%04o", static_cast<unsigned>(status.st_mode & 07777));
    if ((status.st_mode & S_IRWXO) == 0) return {Grade::Ok, "permissions", mode.data(), ""};
    return {Grade::Warning, "permissions", concat(mode.data(), ": every user of this machine can read or write it"),
            concat("take that away from the file and those beside it: chmod o-rwx ", path, "*")};
}

}  // namespace

std::vector<Finding> SqliteStore::check_up() {
    auto findings = work_.read(
        [](Database& db) {
            return std::vector<Finding>{
                schema_finding(db),
                setting(db, "journal mode", "PRAGMA journal_mode", "wal",
                        "another program changed it; close it and open again"),
                setting(db, "synchronous", "PRAGMA synchronous", "2",
                        "must be FULL for submits to survive a power cut"),
                setting(db, "integrity", "PRAGMA quick_check(1)", "ok", "restore the file from a backup"),
            };
        },
        Lane::Pace::Unbounded);
    findings.push_back(store::owners_finding(look()));
    findings.push_back(store::clock_trust_finding(work_.read(clock_witness), clock_.now()));
    findings.push_back(directory_finding(path_));
    findings.push_back(permissions_finding(path_));
    findings.push_back(file_system_finding(path_));
    findings.push_back(space_finding(path_));
    findings.push_back(log_finding(path_));
    findings.push_back(writers_finding(work_));
    return findings;
}

}  // namespace holdfast::sqlite
