#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <libpq-fe.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>

#include "base/descriptor.h"
#include "server/server_fixture.h"
#include "store_contract/spawned_program.h"

namespace holdfast::server_test {
namespace {

using testing::HasSubstr;

/// The number in the first line of the file.
pid_t first_number_in(const std::string& file) {
    pid_t number = 0;
    std::ifstream(file) >> number;
    return number;
}

std::set<pid_t> children_of(pid_t parent) {
    std::set<pid_t> children;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (!std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c) != 0; })) continue;
        std::ifstream stat(entry.path() / "stat");
        std::string text((std::istreambuf_iterator<char>(stat)), {});
        if (const auto end = text.rfind(')'); end != std::string::npos) {
            char state = 0;
            pid_t of = 0;
            std::istringstream(text.substr(end + 1)) >> state >> of;
            if (of == parent) children.insert(std::stoi(name));
        }
    }
    return children;
}

/// A PostgreSQL server of this test's own, because it is made to hang.
class OwnServer {
public:
    [[nodiscard]] const std::string& url() const { return url_; }

    void execute(const std::string& sql) const { (void)value(sql); }
    /// Stops every process, so that it keeps its connections, takes new ones and answers none.
    void freeze() const {
        const pid_t postmaster = pid();
        kill(postmaster, SIGSTOP);
        for (const pid_t child : children_of(postmaster)) kill(child, SIGSTOP);
    }
    void thaw() const {
        const pid_t postmaster = pid();
        for (const pid_t child : children_of(postmaster)) kill(child, SIGCONT);
        kill(postmaster, SIGCONT);
    }

    OwnServer() { folder_ = value("SHOW data_directory"); }
    ~OwnServer() { thaw(); }
    OwnServer(const OwnServer&) = delete;
    OwnServer& operator=(const OwnServer&) = delete;

private:
    [[nodiscard]] pid_t pid() const { return first_number_in(folder_ + "/postmaster.pid"); }
    [[nodiscard]] std::string value(const std::string& sql) const {
        const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(url_.c_str()), PQfinish);
        const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection.get(), sql.c_str()), PQclear);
        if (PQresultStatus(result.get()) != PGRES_TUPLES_OK && PQresultStatus(result.get()) != PGRES_COMMAND_OK)
            throw std::runtime_error(PQerrorMessage(connection.get()));
        return PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
    }

    contract::SpawnedProgram program_{{HOLDFAST_SOURCE_DIR "/scripts/private-postgres", "sh", "-c",
                                       "echo $HOLDFAST_TEST_POSTGRES; exec sleep 600"}};
    std::string url_ = program_.read_line().value_or("");
    std::string folder_;
};

/// Submits tasks from many threads and counts the answers by status.
class CountedSubmits {
public:
    CountedSubmits(const std::string& url, int threads) {
        for (int i = 0; i < threads; ++i) threads_.emplace_back([this, url] { run(url); });
    }
    ~CountedSubmits() { stop(); }
    CountedSubmits(const CountedSubmits&) = delete;
    CountedSubmits& operator=(const CountedSubmits&) = delete;

    void stop() {
        stops_ = true;
        for (std::thread& thread : threads_)
            if (thread.joinable()) thread.join();
    }
    [[nodiscard]] int answers(int status) const {
        const std::lock_guard lock(mutex_);
        const auto found = answers_.find(status);
        return found == answers_.end() ? 0 : found->second;
    }
    [[nodiscard]] std::string last_refusal() const {
        const std::lock_guard lock(mutex_);
        return last_refusal_;
    }

private:
    void run(const std::string& url) {
        while (!stops_) {
            try {
                http::Client client({.url = url});
                const auto answer = client.send("POST", "/api/tasks", R"({"name": "nobody-runs-this"})");
                note(answer);
                if (answer.status >= 400) std::this_thread::sleep_for(std::chrono::milliseconds(50));
            } catch (const std::exception&) {
                const std::lock_guard lock(mutex_);
                ++answers_[0];  // it was not answered for as long as a client waits
            }
        }
    }

    void note(const http::Client::Answer& answer) {
        const std::lock_guard lock(mutex_);
        ++answers_[answer.status];
        if (answer.status == 503) last_refusal_ = answer.body;
    }

    std::atomic<bool> stops_ = false;
    mutable std::mutex mutex_;
    std::map<int, int> answers_;
    std::string last_refusal_;
    std::vector<std::thread> threads_;
};

class HangingPostgres : public testing::Test {
protected:
    [[nodiscard]] std::unique_ptr<ServingProgram> serve() const {
        return std::make_unique<ServingProgram>(
            RunParams{.arguments = {"server", "--port", "0", "--store", database.url()}, .folder = folder.path()});
    }
    static void await_status(const ServingProgram& server, const std::string& target, int status) {
        wait_until([&] { return server.get(target).status == status; },
                   target + " to answer " + std::to_string(status));
    }
    /// What has to hold throughout an outage, until the server says that it is not ready.
    static void expect_an_orderly_outage(const ServingProgram& server) {
        wait_until(
            [&] {
                EXPECT_EQ(server.get("/healthz").status, 200);
                EXPECT_EQ(server.get("/").status, 200) << "the page";
                return server.get("/readyz").status == 503;
            },
            "the server to be not ready");
        EXPECT_THAT(server.get("/readyz").body, HasSubstr("store: last done"));
    }
    static std::size_t count(const std::string& text, const std::string& part) {
        std::size_t found = 0;
        for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
        return found;
    }

    OwnServer database;
    integration::TempFolder folder;
};

TEST_F(HangingPostgres, AFrozenDatabaseDoesNotTakeTheServerDown) {
    const auto server = serve();
    await_status(*server, "/readyz", 200);
    {
        CountedSubmits submits(server->url(), 12);
        wait_until([&] { return submits.answers(201) > 0; }, "a submit");
        database.freeze();
        expect_an_orderly_outage(*server);
        wait_until([&] { return server->get("/metrics").body.find("holdfast_store_up 0") != std::string::npos; },
                   "metrics without the store");
        wait_until([&] { return submits.answers(503) > 20; }, "submits to be refused");
        EXPECT_THAT(submits.last_refusal(), HasSubstr("STORE_UNAVAILABLE"));
        database.thaw();
        await_status(*server, "/readyz", 200);
        const int before = submits.answers(201);
        wait_until([&] { return submits.answers(201) > before; }, "a submit after the outage");
        submits.stop();
        EXPECT_EQ(submits.answers(0), 0) << "every submit got an answer";
    }
    const integration::Ran ran = server->stop(SIGTERM);
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_EQ(count(ran.err, "The store does not answer"), 1U) << ran.err;
    EXPECT_EQ(count(ran.err, "The store answers again"), 1U) << ran.err;
}

/// Only commits wait: a server that asks by reading finds everything in order, and so do the metrics.
TEST_F(HangingPostgres, ADatabaseWithoutItsSynchronousStandbyDoesNotTakeTheServerDown) {
    const auto server = serve();
    await_status(*server, "/readyz", 200);
    database.execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    database.execute("SELECT pg_reload_conf()");
    {
        CountedSubmits submits(server->url(), 12);
        expect_an_orderly_outage(*server);
        wait_until([&] { return submits.answers(503) > 20; }, "submits to be refused");
        database.execute("ALTER SYSTEM RESET synchronous_standby_names");
        database.execute("SELECT pg_reload_conf()");
        await_status(*server, "/readyz", 200);
        wait_until([&] { return submits.answers(201) > 0; }, "a submit after the outage");
        submits.stop();
        EXPECT_EQ(submits.answers(0), 0) << "every submit got an answer";
    }
    EXPECT_EQ(server->stop(SIGTERM).exit_code, 0);
}

TEST_F(HangingPostgres, ACatalogThatIsReadMeanwhileIsPutIntoTheStoreAfterwards) {
    folder.write("holdfast.yaml", "tasks: {first: {script: 'true'}}\n");
    const auto server = serve();
    await_status(*server, "/readyz", 200);
    database.freeze();
    await_status(*server, "/readyz", 503);
    folder.write("holdfast.yaml",
                 "tasks: {second: {script: 'true'}}\nschedules: {hourly: {task: second, every: 1h}}\n");
    server->program().send(SIGHUP);
    std::this_thread::sleep_for(std::chrono::seconds(4));  // longer than a connection is tried for
    database.thaw();
    wait_until([&] { return count(server->get("/api/schedules").body, "hourly") > 0; }, "the schedule");
    EXPECT_EQ(server->stop(SIGTERM).exit_code, 0);
}

/// A port that was free a moment ago.
int free_port() {
    const Descriptor probe(socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(probe.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
        getsockname(probe.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
        throw std::runtime_error("no free port");
    return ntohs(address.sin_port);
}

int status_at(const std::string& url, const std::string& target) {
    try {
        http::Client client({.url = url});
        return client.send("GET", target).status;
    } catch (const std::exception&) {
        return 0;
    }
}

TEST_F(HangingPostgres, AServerThatStartsMeanwhileAnswersProbesAndServesAfterwards) {
    ASSERT_EQ(integration::run_program({.arguments = {"migrate", "--store", database.url()}, .folder = folder.path()})
                  .exit_code,
              0);
    database.freeze();
    const std::string port = std::to_string(free_port()), url = "http://127.0.0.1:" + port;
    integration::RunningProgram program(
        {.arguments = {"server", "--port", port, "--store", database.url()}, .folder = folder.path()});
    wait_until([&] { return status_at(url, "/healthz") == 200; }, "the server to live");
    EXPECT_EQ(status_at(url, "/readyz"), 503);
    EXPECT_EQ(status_at(url, "/api/tasks"), 503);
    database.thaw();
    wait_until([&] { return status_at(url, "/readyz") == 200; }, "the server to be ready");
    EXPECT_EQ(status_at(url, "/api/tasks"), 200);
    program.send(SIGTERM);
    EXPECT_EQ(program.finish().exit_code, 0);
}

}  // namespace
}  // namespace holdfast::server_test
