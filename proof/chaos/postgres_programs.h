#pragma once

#include <string>
#include <vector>

namespace holdfast::chaos {

/// The folder of PostgreSQL's programs: the newest version where Debian installs them, else the one that $PATH names.
/// Throws std::runtime_error when there is none.
[[nodiscard]] std::string find_postgres_programs();

/// The command, run by a user whom PostgreSQL accepts: it refuses to run as root. The program ends with the thread
/// that starts it.
[[nodiscard]] std::vector<std::string> as_postgres_owner(const std::vector<std::string>& words);

/// Gives a file or folder to that user. Throws std::runtime_error.
void give_to_postgres_owner(const std::string& path);

/// The words that make a new database cluster in `folder`, to which everybody on this machine may connect.
[[nodiscard]] std::vector<std::string> initdb_words(const std::string& programs, const std::string& folder);

/// Whether the server with this process id and data folder accepts connections.
[[nodiscard]] bool accepts_connections(const std::string& data, int pid);

/// The whole file; empty when it cannot be read.
[[nodiscard]] std::string content_of(const std::string& path);

}  // namespace holdfast::chaos
