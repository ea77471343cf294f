#include <sqlite3.h>
#include <stdlib.h>

#include <filesystem>

#include "store_contract/test_database.h"

namespace holdfast::contract {
namespace {

class SqliteRaw final : public RawSql {
public:
    explicit SqliteRaw(const std::string& path) {
        check(sqlite3_open(path.c_str(), &connection_));
        sqlite3_busy_timeout(connection_, 10'000);
    }
    SqliteRaw(const SqliteRaw&) = delete;
    SqliteRaw& operator=(const SqliteRaw&) = delete;
    ~SqliteRaw() override { sqlite3_close(connection_); }

    void execute(const std::string& sql) override {
        check(sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr));
    }

    std::string value(const std::string& sql) override {
        sqlite3_stmt* statement = nullptr;
        check(sqlite3_prepare_v2(connection_, sql.c_str(), -1, &statement, nullptr));
        std::string found;
        if (sqlite3_step(statement) == SQLITE_ROW) {
            const auto* text = sqlite3_column_text(statement, 0);
            if (text != nullptr) found = reinterpret_cast<const char*>(text);
        }
        check(sqlite3_finalize(statement));
        return found;
    }

    std::string literal(const Uuid& id) const override {
        std::string digits = id.to_string();
        std::erase(digits, '-');
        return "x'" + digits + "'";
    }

private:
    void check(int code) const {
        if (code != SQLITE_OK) throw SqlRefused(sqlite3_errmsg(connection_));
    }

    sqlite3* connection_ = nullptr;
};

/// A file in a directory of its own, which goes with it.
class SqliteDatabase final : public TestDatabase {
public:
    SqliteDatabase() {
        std::string pattern = (std::filesystem::temp_directory_path() / "holdfast-contract-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a directory like " + pattern);
        directory_ = pattern;
    }
    SqliteDatabase(const SqliteDatabase&) = delete;
    SqliteDatabase& operator=(const SqliteDatabase&) = delete;
    ~SqliteDatabase() override {
        std::error_code ignored;
        std::filesystem::remove_all(directory_, ignored);
    }

    StoreKind kind() const override { return StoreKind::Sqlite; }
    std::string address() const override { return (directory_ / "holdfast.db").string(); }

private:
    std::filesystem::path directory_;
};

}  // namespace

std::unique_ptr<RawSql> make_sqlite_raw(const std::string& path) {
    return std::make_unique<SqliteRaw>(path);
}

std::unique_ptr<TestDatabase> make_sqlite_database() {
    return std::make_unique<SqliteDatabase>();
}

}  // namespace holdfast::contract
