#pragma once

#include <memory>
#include <string>

namespace holdfast::bench {

/// An empty database for one measurement, with the schema in place; removed with this object.
class ScratchDatabase {
public:
    virtual ~ScratchDatabase() = default;
    [[nodiscard]] virtual std::string url() const = 0;       ///< for the store
    [[nodiscard]] virtual std::string place() const = 0;     ///< for bare SQL: the file, or the libpq URI
    [[nodiscard]] virtual std::string settings() const = 0;  ///< the settings that decide its speed, for people
};

/// Creates it in a new folder inside `folder`.
[[nodiscard]] std::unique_ptr<ScratchDatabase> make_sqlite_scratch(const std::string& folder);
/// Creates it on the server that the libpq URI names; its user must be allowed to.
[[nodiscard]] std::unique_ptr<ScratchDatabase> make_postgres_scratch(const std::string& server);

}  // namespace holdfast::bench
