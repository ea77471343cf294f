#include "store/sqlite/file_place.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/descriptor.h"
#include "base/text.h"
#include "store/errors.h"
#include "store/sqlite/turnstile.h"

namespace holdfast::sqlite {

namespace {

constexpr const char* log_suffix = "-wal";
constexpr const char* index_suffix = "-shm";
constexpr const char* replaced_suffix = "-wal.replaced";
constexpr std::string_view nowhere = "?/?";

/// The note is the content of the file that the writers lock for their turn. "": there is none.
std::string read_note(const std::string& database) {
    const Descriptor file(open(concat(database, turn_suffix).c_str(), O_RDONLY | O_CLOEXEC));
    std::array<char, 256> text{};
    const auto size = file ? pread(file.get(), text.data(), text.size(), 0) : 0;
    return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : std::string();
}

/// "place of the database place of its log\n"
std::string note_of(const std::string& database_place, const std::string& log_place) {
    return concat(database_place, " ", log_place, "\n");
}

}  // namespace

std::string place_of(const std::string& path) {
    struct statx status {};
    if (statx(AT_FDCWD, path.c_str(), 0, STATX_INO | STATX_BTIME, &status) != 0) return std::string(nowhere);
    const bool has_birth = (status.stx_mask & STATX_BTIME) != 0;
    return concat(status.stx_ino, "/",
                  has_birth ? concat(status.stx_btime.tv_sec, ".", status.stx_btime.tv_nsec) : std::string("?"));
}

bool has_foreign_log(const std::string& database) {
    const auto log = place_of(database + log_suffix);
    if (log == nowhere) return false;
    const auto note = read_note(database);
    // The same log as then, beside another file than then.
    return note.ends_with(concat(" ", log, "\n")) && note != note_of(place_of(database), log);
}

void set_aside_foreign_log(const std::string& database) {
    if (!has_foreign_log(database)) return;
    const auto log = database + log_suffix;
    if (std::rename(log.c_str(), concat(database, replaced_suffix).c_str()) != 0)
        throw store::Unavailable(concat("the database file ", database,
                                        " was replaced, but the log of the former file,", log,
                                        ", cannot be moved out of the way: ", std::strerror(errno)));
    // The index of that log. Processes that still use the former file keep theirs.
    unlink(concat(database, index_suffix).c_str());
}

void note_log(const std::string& database) {
    const auto log = place_of(database + log_suffix);
    if (log == nowhere) return;
    const auto note = note_of(place_of(database), log);
    if (note == read_note(database)) return;
    const Descriptor file(open(concat(database, turn_suffix).c_str(), O_WRONLY | O_CLOEXEC));
    // Without the note a log of another file is not noticed: that is no reason to refuse the database.
    if (!file || ftruncate(file.get(), 0) != 0) return;
    [[maybe_unused]] const auto written = pwrite(file.get(), note.data(), note.size(), 0);
}

}  // namespace holdfast::sqlite
