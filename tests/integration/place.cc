#include "integration/place.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "base/text.h"
#include "client/connect.h"
#include "platform/task_ids.h"
#ifdef HOLDFAST_WITH_POSTGRES
#include <libpq-fe.h>
#endif

namespace holdfast::integration {

namespace {

class SqlitePlace final : public StorePlace {
public:
    explicit SqlitePlace(const std::string& folder) : url_("sqlite:" + folder + "/test.db") {}
    std::string url() const override { return url_; }

private:
    std::string url_;
};

#ifdef HOLDFAST_WITH_POSTGRES

std::string server_url() {
    const char* url = std::getenv("HOLDFAST_TEST_POSTGRES");
    if (url != nullptr) return url;
    throw std::runtime_error(
        "HOLDFAST_TEST_POSTGRES is not set: run these tests through ./test, which starts a private PostgreSQL for "
        "them");
}

void execute_on_server(const std::string& sql) {
    const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(server_url().c_str()), PQfinish);
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection.get(), sql.c_str()), PQclear);
    if (PQresultStatus(result.get()) != PGRES_COMMAND_OK) throw std::runtime_error(PQerrorMessage(connection.get()));
}

class PostgresPlace final : public StorePlace {
public:
    PostgresPlace() {
        static std::atomic<int> counter = 0;
        name_ = concat("holdfast_program_", getpid(), "_", ++counter);
        execute_on_server("CREATE DATABASE " + name_);
    }
    PostgresPlace(const PostgresPlace&) = delete;
    PostgresPlace& operator=(const PostgresPlace&) = delete;
    ~PostgresPlace() override {
        try {
            execute_on_server("DROP DATABASE " + name_ + " WITH (FORCE)");
        } catch (const std::exception& fault) {
            ADD_FAILURE() << fault.what();
        }
    }

    std::string url() const override {
        const std::string server = server_url();
        const auto path = server.find('/', server.find("://") + 3);
        const auto query = server.find('?');
        return server.substr(0, std::min(path, query)) + "/" + name_ +
               (query == std::string::npos ? "" : server.substr(query));
    }

private:
    std::string name_;
};

std::unique_ptr<StorePlace> make_postgres_place() {
    return std::make_unique<PostgresPlace>();
}

#else

std::unique_ptr<StorePlace> make_postgres_place() {
    throw std::logic_error("this build has no PostgreSQL store");
}

#endif

/// A server that does nothing by itself, so that what happens is the test's doing.
class ServerPlace final : public StorePlace {
public:
    explicit ServerPlace(const std::string& folder)
        : store_(folder),
          process_(
              {.arguments = {"server", "--port", "0", "--no-sweep", "--store", store_.url()}, .folder = folder}) {
        const auto store = client::connect({.url = store_.url(), .limits = {}, .create = true, .migrate = true});
        while (store->replicas().empty()) store->watch(store::Topic::Work)->wait(std::chrono::milliseconds(20));
        server_ = store->replicas().front().replica.address;
    }
    std::string url() const override { return store_.url(); }
    std::string server() const override { return server_; }

private:
    SqlitePlace store_;
    RunningProgram process_;
    std::string server_;
};

}  // namespace

TempFolder::TempFolder(const std::string& parent) {
    const std::filesystem::path above = parent.empty() ? std::filesystem::temp_directory_path().string() : parent;
    std::string pattern = (above / "holdfast-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = pattern;
    chmod(path_.c_str(), 0777);
}

TempFolder::~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::string TempFolder::write(const std::string& name, const std::string& content) const {
    std::string path = concat(path_, "/", name);
    const std::string beside = path + ".new";
    std::ofstream(beside, std::ios::binary) << content;
    std::filesystem::rename(beside, path);  // nobody reads half of it
    return path;
}

std::vector<StoreKind> store_kinds() {
#ifdef HOLDFAST_WITH_POSTGRES
    return {StoreKind::Sqlite, StoreKind::Postgres};
#else
    return {StoreKind::Sqlite};
#endif
}

std::vector<StoreKind> all_kinds() {
    std::vector<StoreKind> kinds = store_kinds();
    kinds.push_back(StoreKind::Server);
    return kinds;
}

std::string name_of(const testing::TestParamInfo<StoreKind>& info) {
    if (info.param == StoreKind::Server) return "Server";
    return info.param == StoreKind::Sqlite ? "Sqlite" : "Postgres";
}

std::string own_id(unsigned number, bool of_an_hour_ago) {
    static const auto start = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    const auto at = start - std::chrono::hours(of_an_hour_ago ? 1 : 0);
    const std::string time = fmt::format("{:012x}", at.time_since_epoch().count());
    return fmt::format("{}-{}-7000-8000-{:012x}", time.substr(0, 8), time.substr(8), number);
}

std::unique_ptr<StorePlace> make_place(StoreKind kind, const TempFolder& folder) {
    if (kind == StoreKind::Sqlite) return std::make_unique<SqlitePlace>(folder.path());
    if (kind == StoreKind::Server) return std::make_unique<ServerPlace>(folder.path());
    return make_postgres_place();
}

StandInWorker::StandInWorker(store::Store& store, std::vector<std::string> tags)
    : store_(store), id_(platform::new_task_id()) {
    store::WorkerRegistration registration;
    registration.id = id_;
    registration.name = "stand-in";
    registration.queues = {"default"};
    registration.tags = std::move(tags);
    store_.register_worker(registration);
}

store::ClaimedTask StandInWorker::take() {
    auto task = take_if_any();
    if (!task) throw std::runtime_error("there was nothing to claim");
    return *std::move(task);
}

std::optional<store::ClaimedTask> StandInWorker::take_if_any() {
    auto answer =
        store_.turn({.worker = id_, .request = platform::new_task_id(), .to_start = 1, .to_hold = 0}).claimed;
    if (answer.tasks.empty()) return std::nullopt;
    return std::move(answer.tasks.front());
}

void StandInWorker::complete(const store::ClaimedTask& task, const std::string& result) {
    finish({.lease = {task.task.id, task.lease}, .end = core::LeaseEnd::Completed, .result = result, .error = {}});
}

void StandInWorker::fail(const store::ClaimedTask& task, const TaskError& error) {
    finish({.lease = {task.task.id, task.lease}, .end = core::LeaseEnd::Failed, .result = {}, .error = error});
}

void StandInWorker::print(const store::ClaimedTask& task, int sequence, const std::string& stream,
                          const std::string& text) {
    print({{task.task.id, task.lease, sequence, stream, text, store_.now()}});
}

void StandInWorker::print(const std::vector<store::LogChunk>& chunks) {
    for (const auto fenced : store_.append_logs(id_, chunks))
        if (fenced != store::Fenced::Applied) throw std::runtime_error("the log was not appended");
}

void StandInWorker::finish(store::FinishedRun run) {
    const auto answer = store_.turn({.worker = id_, .finish = {std::move(run)}});
    if (answer.finished.front().fenced != store::Fenced::Applied)
        throw std::runtime_error("the finish was not applied");
}

RunParams ProgramTest::command(std::vector<std::string> arguments) const {
    RunParams params{.arguments = std::move(arguments),
                     .environment = {{"HOLDFAST_STORE", place->url()}, {"USER", "tester"}},
                     .folder = folder.path()};
    if (!place->server().empty()) params.environment["HOLDFAST_SERVER"] = place->server();
    return params;
}

Ran ProgramTest::holdfast(std::vector<std::string> arguments) const {
    return run_program(command(std::move(arguments)));
}

std::string ProgramTest::submit(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "submit");
    const Ran ran = holdfast(std::move(arguments));
    if (ran.exit_code != 0) throw std::runtime_error("submit failed: " + ran.err);
    return ran.lines().at(0);
}

nlohmann::json ProgramTest::show(const std::string& id) const {
    return holdfast({"tasks", "show", id, "--json"}).json();
}

store::Store& ProgramTest::store() {
    if (!store_) store_ = client::connect({.url = place->url(), .limits = {}});
    return *store_;
}

}  // namespace holdfast::integration
