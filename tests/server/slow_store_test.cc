#include <fcntl.h>
#include <sys/file.h>

#include <atomic>
#ifdef HOLDFAST_WITH_POSTGRES
#include <libpq-fe.h>
#endif

#include "base/descriptor.h"
#include "server/server_fixture.h"

namespace holdfast::server_test {
namespace {

/// Keeps others from writing to an SQLite file, or from using the tables of a PostgreSQL database, until it is
/// destroyed.
class Blockade {
public:
    Blockade(StoreKind kind, const std::string& file, const std::string& url) {
        if (kind == StoreKind::Sqlite) {
            turn_ = Descriptor(open((file + "-turn").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
            flock(turn_.get(), LOCK_EX);
            return;
        }
#ifdef HOLDFAST_WITH_POSTGRES
        connection_.reset(PQconnectdb(url.c_str()));
        execute("BEGIN");
        execute("LOCK TABLE holdfast.replica, holdfast.token, holdfast.task IN ACCESS EXCLUSIVE MODE");
#else
        (void)url;
#endif
    }

private:
    Descriptor turn_;
#ifdef HOLDFAST_WITH_POSTGRES
    void execute(const std::string& sql) const {
        const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection_.get(), sql.c_str()), PQclear);
        EXPECT_EQ(PQresultStatus(result.get()), PGRES_COMMAND_OK) << PQerrorMessage(connection_.get());
    }
    std::unique_ptr<PGconn, decltype(&PQfinish)> connection_{nullptr, PQfinish};
#endif
};

/// Submits one task after the other, however long each of them takes.
class Submitters {
public:
    Submitters(const std::string& url, int count) {
        for (int i = 0; i < count; ++i) threads_.emplace_back([this, url] { submit(url); });
    }
    ~Submitters() {
        stops_ = true;
        for (std::thread& thread : threads_) thread.join();
    }
    Submitters(const Submitters&) = delete;
    Submitters& operator=(const Submitters&) = delete;

private:
    void submit(const std::string& url) {
        while (!stops_) {
            try {
                http::Client client({.url = url});
                (void)client.send("POST", "/api/tasks", R"({"name": "nobody-runs-this"})");
            } catch (const std::exception&) {
                // It hung for longer than a client waits.
            }
        }
    }
    std::atomic<bool> stops_ = false;
    std::vector<std::thread> threads_;
};

class SlowStore : public ServerTest {
protected:
    [[nodiscard]] std::unique_ptr<Blockade> block() const {
        return std::make_unique<Blockade>(GetParam(), place->url().substr(place->url().find(':') + 1), place->url());
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, SlowStore, testing::ValuesIn(integration::store_kinds()), integration::name_of);

TEST_P(SlowStore, ProbesAnswerWhileEveryHandlerWaitsForTheStoreAndSayWhy) {
    const auto server = serve();
    wait_until([&] { return server->get("/readyz").status == 200; }, "readiness");
    auto blockade = block();
    {
        const Submitters submitters(server->url(), 12);
        wait_until(
            [&] {
                EXPECT_EQ(server->get("/healthz").status, 200);
                const auto answer = server->get("/readyz");
                return answer.status == 503 && answer.body.find("last done") != std::string::npos;
            },
            "the server to say that it is not ready, and why");
        blockade.reset();
        wait_until([&] { return server->get("/readyz").status == 200; }, "readiness again");
    }
}

}  // namespace
}  // namespace holdfast::server_test
