#pragma once

#include <memory>
#include <string>

namespace holdfast::bench {

/// An empty database of its own for one measurement, with the schema in place; gone when this goes.
class ScratchDatabase {
public:
    virtual ~ScratchDatabase() = default;
    [[nodiscard]] virtual std::string url() const = 0;       ///< for the store
    [[nodiscard]] virtual std::string place() const = 0;     ///< for bare SQL: the file, or the libpq URI
    [[nodiscard]] virtual std::string settings() const = 0;  ///< what decides its speed, for people
};

/// In a fresh folder inside `folder`.
[[nodiscard]] std::unique_ptr<ScratchDatabase> make_sqlite_scratch(const std::string& folder);
/// On the server that the libpq URI names; its user may create databases.
[[nodiscard]] std::unique_ptr<ScratchDatabase> make_postgres_scratch(const std::string& server);

}  // namespace holdfast::bench
