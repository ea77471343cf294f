#include <unistd.h>

#include <atomic>
#include <thread>

#include "base/text.h"
#include "store/migration.h"
#include "store_contract/fake_clock.h"
#include "store_contract/postgres_raw.h"

namespace holdfast::contract {

PostgresRaw::PostgresRaw(const std::string& url) : connection_(PQconnectdb(url.c_str()), PQfinish) {
    if (PQstatus(connection_.get()) != CONNECTION_OK) throw SqlRefused(PQerrorMessage(connection_.get()));
    PQsetNoticeProcessor(
        connection_.get(), [](void*, const char*) {}, nullptr);
    execute("SET search_path = holdfast, public");
}

void PostgresRaw::execute(const std::string& sql) {
    (void)value(sql);
}

std::string PostgresRaw::value(const std::string& sql) {
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection_.get(), sql.c_str()), PQclear);
    const auto status = PQresultStatus(result.get());
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) throw SqlRefused(PQerrorMessage(connection_.get()));
    return PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
}

std::string PostgresRaw::literal(const Uuid& id) const {
    return "'" + id.to_string() + "'";
}

std::string server_url() {
    const char* url = std::getenv("HOLDFAST_TEST_POSTGRES");
    if (url != nullptr) return url;
    throw std::runtime_error(
        "HOLDFAST_TEST_POSTGRES is not set: run these tests through ./test, which starts a private PostgreSQL for "
        "them");
}

std::string with_database(const std::string& url, const std::string& name) {
    const auto authority = url.find("://") + 3;
    const auto path = url.find('/', authority);
    const auto query = url.find('?', authority);
    const auto end_of_authority = std::min({path, query, url.size()});
    return url.substr(0, end_of_authority) + "/" + name + (query == std::string::npos ? "" : url.substr(query));
}

namespace {

/// The schema under test, by content: another build on the same server makes its own template.
std::string template_name() {
    std::string all;
    for (const auto& migration : postgres::embedded_migrations()) all += migration.sql;
    return concat("holdfast_contract_", std::hash<std::string>()(all));
}

/// A backend that has just been left lingers for a moment, and a database in use can be neither copied nor renamed.
void execute_patiently(PostgresRaw& server, const std::string& sql) {
    for (int tries = 0;; ++tries) {
        try {
            return server.execute(sql);
        } catch (const SqlRefused& refusal) {
            const bool in_use =
                std::string(refusal.what()).find("being accessed by other users") != std::string::npos;
            if (!in_use || tries == 500) throw;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    }
}

/// Migrates once per server; every test copies the result, which is far quicker than migrating.
void ensure_template(PostgresRaw& server, const std::string& name) {
    server.execute("SELECT pg_advisory_lock(4711)");
    if (server.value("SELECT 1 FROM pg_database WHERE datname = '" + name + "'").empty()) {
        const std::string draft = name + "_draft";
        execute_patiently(server, "DROP DATABASE IF EXISTS " + draft);
        server.execute("CREATE DATABASE " + draft);
        const FakeClock clock;
        (void)open_store({.kind = StoreKind::Postgres, .address = with_database(server_url(), draft)}, clock);
        execute_patiently(server, "ALTER DATABASE " + draft + " RENAME TO " + name);
    }
    server.execute("SELECT pg_advisory_unlock(4711)");
}

class PostgresDatabase final : public TestDatabase {
public:
    explicit PostgresDatabase(bool empty) : server_(server_url()) {
        static std::atomic<int> counter = 0;
        name_ = concat("holdfast_test_", getpid(), "_", ++counter);
        const std::string origin = empty ? "template1" : template_name();
        if (!empty) ensure_template(server_, origin);
        execute_patiently(server_, "CREATE DATABASE " + name_ + " TEMPLATE " + origin);
    }
    PostgresDatabase(const PostgresDatabase&) = delete;
    PostgresDatabase& operator=(const PostgresDatabase&) = delete;
    ~PostgresDatabase() override {
        try {
            PostgresRaw(server_url()).execute("DROP DATABASE " + name_ + " WITH (FORCE)");
        } catch (const SqlRefused&) {
            // A test that broke the server has said so itself; the server is thrown away with all its databases.
        }
    }

    StoreKind kind() const override { return StoreKind::Postgres; }
    std::string address() const override { return with_database(server_url(), name_); }

private:
    PostgresRaw server_;
    std::string name_;
};

}  // namespace

std::unique_ptr<RawSql> make_postgres_raw(const std::string& url) {
    return std::make_unique<PostgresRaw>(url);
}

std::unique_ptr<TestDatabase> make_postgres_database(bool empty) {
    return std::make_unique<PostgresDatabase>(empty);
}

}  // namespace holdfast::contract
