#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/clock.h"
#include "store/store.h"

namespace holdfast::contract {

enum class StoreKind { Sqlite, Postgres };
[[nodiscard]] std::string to_text(StoreKind kind);
/// Those that this build has.
[[nodiscard]] std::vector<StoreKind> store_kinds();

/// What the database said to a statement that it refused.
class SqlRefused : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A connection of one's own to the database under a store, for what only SQL can show or break.
class RawSql {
public:
    virtual ~RawSql() = default;
    /// Runs statements without parameters. Throws SqlRefused.
    virtual void execute(const std::string& sql) = 0;
    /// The first column of the first row as text; "" when there is none or it is NULL. Throws SqlRefused.
    [[nodiscard]] virtual std::string value(const std::string& sql) = 0;
    /// An id as this database writes it.
    [[nodiscard]] virtual std::string literal(const Uuid& id) const = 0;
    [[nodiscard]] long number(const std::string& sql) { return std::stol(value(sql)); }
};

/// One database of one test; gone when this is destroyed.
class TestDatabase {
public:
    virtual ~TestDatabase() = default;
    [[nodiscard]] virtual StoreKind kind() const = 0;
    /// What another process opens it by: a path or a libpq URI.
    [[nodiscard]] virtual std::string address() const = 0;
    [[nodiscard]] std::unique_ptr<RawSql> raw() const;
};

/// A fresh one, without a schema when `empty`. For PostgreSQL, HOLDFAST_TEST_POSTGRES names the server.
[[nodiscard]] std::unique_ptr<TestDatabase> make_database(StoreKind kind, bool empty = false);

/// Opens a store; in any process.
struct OpenParams {
    StoreKind kind;
    std::string address;
    store::Limits limits = {};
    bool migrate = true;
    bool session_liveness = true;  ///< of PostgreSQL
    Duration safety_poll = std::chrono::seconds(1);
};
[[nodiscard]] std::unique_ptr<store::Store> open_store(const OpenParams& params, const Clock& clock);

/// As TestDatabase::raw(), in any process.
[[nodiscard]] std::unique_ptr<RawSql> make_raw(StoreKind kind, const std::string& address);

// One of each per store, in their own files.
[[nodiscard]] std::unique_ptr<RawSql> make_sqlite_raw(const std::string& path);
[[nodiscard]] std::unique_ptr<RawSql> make_postgres_raw(const std::string& url);
[[nodiscard]] std::unique_ptr<TestDatabase> make_sqlite_database();
[[nodiscard]] std::unique_ptr<TestDatabase> make_postgres_database(bool empty);

}  // namespace holdfast::contract
