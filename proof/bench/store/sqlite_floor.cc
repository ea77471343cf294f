#include <sqlite3.h>

#include <stdexcept>

#include "platform/real_clock.h"
#include "proof/bench/driver/queue_driver.h"

namespace holdfast::bench {

namespace {

class Statement {
public:
    Statement(sqlite3* db, const char* sql) : db_(db) {
        if (sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr) != SQLITE_OK) fail();
    }
    ~Statement() { sqlite3_finalize(statement_); }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    Statement& bind(int index, std::int64_t value) {
        sqlite3_bind_int64(statement_, index, value);
        return *this;
    }
    Statement& bind(int index, const Uuid& id) {
        sqlite3_bind_blob(statement_, index, id.bytes().data(), 16, SQLITE_STATIC);
        return *this;
    }
    bool step() {
        const int status = sqlite3_step(statement_);
        if (status != SQLITE_ROW && status != SQLITE_DONE) fail();
        return status == SQLITE_ROW;
    }
    void run() {
        while (step()) {
        }
        sqlite3_reset(statement_);
    }
    void reset() { sqlite3_reset(statement_); }
    [[nodiscard]] std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
    [[nodiscard]] Uuid uuid(int column) const {
        Uuid::Bytes bytes;
        std::copy_n(static_cast<const std::uint8_t*>(sqlite3_column_blob(statement_, column)), 16, bytes.begin());
        return Uuid(bytes);
    }
    [[nodiscard]] std::string text(int column) const {
        return reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    }

private:
    [[noreturn]] void fail() const { throw std::runtime_error(sqlite3_errmsg(db_)); }

    sqlite3* db_;
    sqlite3_stmt* statement_ = nullptr;
};

class Connection {
public:
    explicit Connection(const std::string& file) {
        if (sqlite3_open(file.c_str(), &db_) != SQLITE_OK) throw std::runtime_error(sqlite3_errmsg(db_));
        sqlite3_busy_timeout(db_, 60'000);
        run("PRAGMA synchronous = FULL");
        run("INSERT OR IGNORE INTO route VALUES (1, 'default', '[]')");
    }
    ~Connection() { sqlite3_close(db_); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    void run(const char* sql) {
        if (sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) != SQLITE_OK)
            throw std::runtime_error(sqlite3_errmsg(db_));
    }
    [[nodiscard]] sqlite3* handle() const { return db_; }

private:
    sqlite3* db_ = nullptr;
};

struct Claimed {
    Uuid task;
    std::int64_t priority = 0;
    std::int64_t run_at = 0;
    std::string name;
    std::string args;
};

class SqliteFloor : public QueueDriver {
public:
    explicit SqliteFloor(const std::string& file) : connection_(file) {}

    void submit(const std::vector<Uuid>& tasks) override {
        begin_.run();
        const auto now = microseconds();
        for (const auto& id : tasks) {
            insert_task_.bind(1, id).bind(2, now).run();
            insert_ready_.bind(1, id).bind(2, now).run();
        }
        commit_.run();
    }

    std::size_t cycle(std::size_t batch) override {
        const auto claimed_at = microseconds();
        const auto tasks = claim(batch, claimed_at);
        if (!tasks.empty()) finish(tasks, claimed_at);
        return tasks.size();
    }

private:
    static std::int64_t microseconds() { return platform::real_clock().now().time_since_epoch().count(); }

    std::vector<Claimed> claim(std::size_t batch, std::int64_t now) {
        begin_.run();
        std::vector<Claimed> tasks;
        pick_.bind(1, static_cast<std::int64_t>(batch));
        while (pick_.step()) tasks.push_back({pick_.uuid(0), pick_.integer(1), pick_.integer(2), {}, {}});
        pick_.reset();
        for (auto& task : tasks) {
            delete_ready_.bind(1, task.priority).bind(2, task.run_at).bind(3, task.task).run();
            insert_lease_.bind(1, task.task).bind(2, now).bind(3, task.priority).bind(4, task.run_at).run();
            read_task_.bind(1, task.task).step();
            task.name = read_task_.text(0);
            task.args = read_task_.text(1);
            read_task_.reset();
        }
        number_.bind(1, static_cast<std::int64_t>(tasks.size())).run();
        commit_.run();
        return tasks;
    }

    void finish(const std::vector<Claimed>& tasks, std::int64_t claimed_at) {
        begin_.run();
        const auto now = microseconds();
        for (const auto& task : tasks) {
            delete_lease_.bind(1, task.task).run();
            insert_ending_.bind(1, task.task).bind(2, now).bind(3, task.run_at).bind(4, claimed_at).run();
        }
        commit_.run();
    }

    Connection connection_;
    Statement begin_{connection_.handle(), "BEGIN IMMEDIATE"};
    Statement commit_{connection_.handle(), "COMMIT"};
    Statement insert_task_{connection_.handle(),
                           "INSERT INTO task (id, name, args, route_id, priority, run_at, created_at)"
                           " VALUES (?1, 'noop', '{\"n\":1}', 1, 50, ?2, ?2)"};
    Statement insert_ready_{
        connection_.handle(),
        "INSERT INTO ready (route_id, keyed, priority, run_at, task_id, attempts, crashes, requeues, last_lease)"
        " VALUES (1, 0, 50, ?2, ?1, 0, 0, 0, 0)"};
    Statement pick_{connection_.handle(),
                    "SELECT task_id, priority, run_at FROM ready WHERE route_id = 1 AND keyed = 0 ORDER BY priority, "
                    "run_at, task_id LIMIT ?"};
    Statement delete_ready_{
        connection_.handle(),
        "DELETE FROM ready WHERE route_id = 1 AND keyed = 0 AND priority = ? AND run_at = ? AND task_id = ?"};
    Statement insert_lease_{
        connection_.handle(),
        "INSERT INTO lease (task_id, lease, worker_id, claimed_at, started_at, route_id, priority, run_at,"
        " attempts, crashes, requeues) VALUES (?1, 1, zeroblob(16), ?2, ?2, 1, ?3, ?4, 0, 0, 0)"};
    Statement read_task_{connection_.handle(), "SELECT name, args FROM task WHERE id = ?"};
    Statement number_{connection_.handle(), "UPDATE lease_number SET last = last + ?"};
    Statement delete_lease_{connection_.handle(), "DELETE FROM lease WHERE task_id = ?"};
    Statement insert_ending_{
        connection_.handle(),
        "INSERT INTO ending (task_id, state, finished_at, attempts, crashes, requeues, run_at, lease,"
        " worker_id, claimed_at, started_at, run_end, attempt, result)"
        " VALUES (?1, 'COMPLETED', ?2, 1, 0, 0, ?3, 1, zeroblob(16), ?4, ?4, 'COMPLETED', 1, 'null')"};
};

}  // namespace

std::unique_ptr<QueueDriver> make_sqlite_floor(const std::string& file) {
    return std::make_unique<SqliteFloor>(file);
}

}  // namespace holdfast::bench
