#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "holdfast/time.h"
#include "holdfast/uuid.h"
#include "store/sql.h"
#include "store/sqlite/patience.h"

struct sqlite3;
struct sqlite3_stmt;

namespace holdfast::sqlite {

using store::Sql;

/// A cached statement, with room for the ids it is bound to: SQLite would allocate a copy of each.
struct PreparedStatement {
    sqlite3_stmt* handle = nullptr;
    std::vector<Uuid> ids;  ///< a place for each of its values
};

/// One use of a prepared statement: bound when made, stepped by the caller, reset when destroyed. It reads like
/// postgres::Row, so that the readers of store/rows.h serve both stores. Views returned by text() are valid until the
/// next step.
class Query {
public:
    explicit Query(PreparedStatement& statement) : prepared_(&statement), statement_(statement.handle) {}
    ~Query();
    Query(Query&& other) noexcept : prepared_(other.prepared_), statement_(other.statement_) {
        other.statement_ = nullptr;
    }
    Query& operator=(Query&&) = delete;

    /// True while there is a row. Throws a store::StoreError when the database refuses.
    bool step();
    /// Steps through all rows and collects what `read(row)` makes of each.
    template <typename Read>
    [[nodiscard]] auto all(const Read& read) {
        std::vector<std::decay_t<decltype(read(std::as_const(*this)))>> found;
        while (step()) found.push_back(read(std::as_const(*this)));
        return found;
    }
    /// Steps to the first row; nullopt when there is none.
    template <typename Read>
    [[nodiscard]] auto first(const Read& read) {
        return step() ? std::optional(read(std::as_const(*this))) : std::nullopt;
    }

    [[nodiscard]] bool is_null(int column) const;
    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] int small(int column) const { return static_cast<int>(integer(column)); }
    [[nodiscard]] bool boolean(int column) const { return integer(column) != 0; }
    [[nodiscard]] double real(int column) const;
    [[nodiscard]] std::string_view text(int column) const;  ///< "" for NULL
    [[nodiscard]] std::string string(int column) const { return std::string(text(column)); }
    [[nodiscard]] Uuid uuid(int column) const;  ///< nil for NULL
    [[nodiscard]] Timestamp time(int column) const { return Timestamp(Duration(integer(column))); }
    [[nodiscard]] std::optional<Timestamp> optional_time(int column) const;
    [[nodiscard]] std::vector<std::string> strings(int column) const;  ///< of a JSON array

    void bind(int index, std::nullptr_t);
    void bind(int index, std::int64_t value);
    void bind(int index, int value) { bind(index, static_cast<std::int64_t>(value)); }
    void bind(int index, bool value) { bind(index, static_cast<std::int64_t>(value)); }
    void bind(int index, std::size_t value) { bind(index, static_cast<std::int64_t>(value)); }
    void bind(int index, double value);
    void bind(int index, std::string_view value);  ///< not copied: must outlive the query
    void bind(int index, const char* value) { bind(index, std::string_view(value)); }
    void bind(int index, const Uuid& value);  ///< nil becomes NULL
    void bind(int index, Timestamp value) { bind(index, value.time_since_epoch().count()); }
    void bind(int index, Duration value) { bind(index, value.count()); }
    template <typename T>
    void bind(int index, const std::optional<T>& value) {
        if (value) {
            bind(index, *value);
        } else {
            bind(index, nullptr);
        }
    }

private:
    PreparedStatement* prepared_;
    sqlite3_stmt* statement_;
};

/// Whether a tuple owns texts.
template <typename Values>
inline constexpr bool has_strings = false;
template <typename... Values>
inline constexpr bool has_strings<std::tuple<Values...>> =
    ((std::is_same_v<Values, std::string> || std::is_same_v<Values, std::optional<std::string>>) || ...);

/// A connection. The only place that holds a database handle. Not thread-safe: its owner serialises.
class Database {
public:
    enum class Mode { ReadWrite, Create };

    Database(const std::string& path, Mode mode);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    /// The statement is prepared once per connection.
    template <typename... Values>
    [[nodiscard]] Query query(Sql sql, const Values&... values) {
        Query query(prepared(sql));
        int index = 0;
        (query.bind(++index, values), ...);
        return query;
    }

    /// What `read(row)` makes of each row of a query.
    template <typename Read, typename... Values>
    [[nodiscard]] auto all(Sql sql, const Read& read, const Values&... values) {
        return query(sql, values...).all(read);
    }
    /// What it makes of the first row; nullopt when there is none.
    template <typename Read, typename... Values>
    [[nodiscard]] auto first(Sql sql, const Read& read, const Values&... values) {
        return query(sql, values...).first(read);
    }

    /// Runs a statement that returns no rows; how many rows it changed.
    template <typename... Values>
    std::int64_t run(Sql sql, const Values&... values) {
        {
            auto statement = query(sql, values...);
            while (statement.step()) {
            }
        }
        return changes();
    }

    /// The same with the values of a tuple.
    template <typename... Values>
    std::int64_t run(Sql sql, const std::tuple<Values...>& values) {
        return std::apply([&](const auto&... each) { return run(sql, each...); }, values);
    }

    /// Whether a query finds a row.
    template <typename... Values>
    [[nodiscard]] bool finds(Sql sql, const Values&... values) {
        return query(sql, values...).step();
    }
    /// The number in the only column of a query's only row.
    template <typename... Values>
    [[nodiscard]] std::int64_t number(Sql sql, const Values&... values) {
        auto row = query(sql, values...);
        row.step();
        return row.integer(0);
    }

    /// Inserts a row for each item. `into` is the statement up to the names of the columns; their values are the
    /// tuple `values_of(item)`, whose texts are views that stay valid until this returns. One statement inserts many
    /// rows: it stays at the end of a table that grows there, while single inserts would each search for that end.
    template <typename Item, typename ValuesOf>
    void insert(Sql into, const std::vector<Item>& items, const ValuesOf& values_of) {
        using Values = decltype(values_of(items.front()));
        static_assert(!has_strings<Values>,
                      "a text in the tuple is gone before the statement runs: give a view of it");
        for (std::size_t next = 0; next < items.size();) {
            const std::size_t left = items.size() - next;
            const std::size_t rows = left >= 100 ? 100 : left >= 10 ? 10 : 1;
            Query query(prepared_insert(into, std::tuple_size_v<Values>, rows));
            int index = 0;
            for (const auto end = next + rows; next < end; ++next)
                std::apply([&](const auto&... value) { (query.bind(++index, value), ...); }, values_of(items[next]));
            query.step();
        }
    }

    /// From now on a statement that has to wait or to work beyond it fails with store::Unavailable, and changes
    /// nothing. Commits and rollbacks are never cut short.
    void set_deadline(const Deadline& deadline) { deadline_ = deadline; }

    /// Whether a file is at the path, as SQLite sees it.
    [[nodiscard]] static bool exists(const std::string& path);
    /// Whether the path leads to another file by now, or to none.
    [[nodiscard]] bool has_moved() const;
    /// Which file it is, as core::Meeting has it (see place_of()).
    [[nodiscard]] std::string place() const;

    /// Runs a script of any number of statements, unprepared.
    void execute(const std::string& script);

    [[nodiscard]] int wal_pages() const { return wal_pages_; }  ///< after this connection's last commit
    void checkpoint();                                          ///< as far as readers allow, without waiting
    void commit();
    void roll_back() noexcept;
    /// Copies every page, on one snapshot, over the contents of another database.
    void copy_to(Database& target);

private:
    [[nodiscard]] PreparedStatement& prepared(Sql sql);
    [[nodiscard]] PreparedStatement& prepared_insert(Sql into, std::size_t columns, std::size_t rows);
    [[nodiscard]] PreparedStatement prepare(const char* sql);
    [[nodiscard]] std::int64_t changes() const;
    static int wait_for_lock(void* self, int tries);
    static int check_deadline(void* self);

    sqlite3* handle_ = nullptr;
    Deadline deadline_;
    Duration waited_{};  // for the lock that the last statement needed
    std::map<Sql, PreparedStatement> statements_;
    std::map<std::pair<Sql, std::size_t>, PreparedStatement> inserts_;  // by text and number of rows
    int wal_pages_ = 0;
};

}  // namespace holdfast::sqlite
