#pragma once

#include <string>

namespace holdfast::sqlite {

/// A file control (see sqlite3_file_control) by which a VFS that does not use files of the system answers place().
/// Its argument is a std::int64_t that is set to the number of the file.
inline constexpr int place_control = 0x484f4c44;  // "HOLD"

/// Where a file of the system is: "inode/time of birth". The inode alone may be given to another file once this one
/// is deleted. What the file system does not tell is "?".
[[nodiscard]] std::string place_of(const std::string& path);

/// SQLite keeps a log beside the database, which belongs to that file alone: read with another file, a backup that
/// was moved over it, it would make a mixture of both. A note beside the database says which log belongs to which
/// file. To be called before SQLite opens the file, and by nobody else meanwhile. Moves a log of another file out of
/// the way, to "<database>-wal.replaced".
void set_aside_foreign_log(const std::string& database);
/// Whether that has something to do.
[[nodiscard]] bool has_foreign_log(const std::string& database);
/// Writes the note. To be called once SQLite has opened the file and its log.
void note_log(const std::string& database);

}  // namespace holdfast::sqlite
