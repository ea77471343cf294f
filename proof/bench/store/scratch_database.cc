#include "proof/bench/store/scratch_database.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "proof/bench/driver/queue_driver.h"
#include "proof/bench/store/libpq_connection.h"

namespace holdfast::bench {

namespace {

void create_schema(const std::string& url) {
    (void)open_store(url);
}

class SqliteScratch final : public ScratchDatabase {
public:
    explicit SqliteScratch(const std::string& folder) : folder_(folder + "/holdfast-bench.XXXXXX") {
        if (mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("cannot create a folder in " + folder);
        create_schema(SqliteScratch::url());
    }
    ~SqliteScratch() override {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    SqliteScratch(const SqliteScratch&) = delete;
    SqliteScratch& operator=(const SqliteScratch&) = delete;

    [[nodiscard]] std::string url() const override { return "sqlite:" + place(); }
    [[nodiscard]] std::string place() const override { return folder_ + "/bench.db"; }
    [[nodiscard]] std::string settings() const override { return "journal_mode=WAL synchronous=FULL"; }

private:
    std::string folder_;
};

class PostgresScratch final : public ScratchDatabase {
public:
    explicit PostgresScratch(std::string server) : server_(std::move(server)), name_(next_name()) {
        LibpqConnection(server_).run("CREATE DATABASE " + name_);
        create_schema(PostgresScratch::url());
    }
    ~PostgresScratch() override {
        try {
            LibpqConnection(server_).run("DROP DATABASE IF EXISTS " + name_ + " WITH (FORCE)");
        } catch (const std::exception&) {
            // The server is gone or about to end: nothing of value is left.
            return;
        }
    }
    PostgresScratch(const PostgresScratch&) = delete;
    PostgresScratch& operator=(const PostgresScratch&) = delete;

    [[nodiscard]] std::string url() const override { return with_database(server_, name_); }
    [[nodiscard]] std::string place() const override { return url(); }
    [[nodiscard]] std::string settings() const override {
        LibpqConnection connection(server_);
        const auto answer = connection.run(
            "SELECT string_agg(name || '=' || current_setting(name), ' ') FROM unnest(ARRAY["
            "'server_version', 'fsync', 'synchronous_commit', 'shared_buffers', 'max_wal_size', 'wal_sync_method']) "
            "name");
        return PQgetvalue(answer.get(), 0, 0);
    }

private:
    static std::string next_name() {
        static std::atomic<int> count = 0;
        return "holdfast_bench_" + std::to_string(getpid()) + "_" + std::to_string(++count);
    }

    std::string server_;
    std::string name_;
};

}  // namespace

std::unique_ptr<ScratchDatabase> make_sqlite_scratch(const std::string& folder) {
    return std::make_unique<SqliteScratch>(folder);
}

std::unique_ptr<ScratchDatabase> make_postgres_scratch(const std::string& server) {
    return std::make_unique<PostgresScratch>(server);
}

}  // namespace holdfast::bench
