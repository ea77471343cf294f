#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "integration/program.h"
#include "store/store.h"

namespace holdfast::integration {

/// An empty folder that everybody may write to; gone when this is destroyed.
class TempFolder {
public:
    explicit TempFolder(const std::string& parent = "");  ///< empty: where temporary files are kept
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;
    ~TempFolder();

    [[nodiscard]] const std::string& path() const { return path_; }
    /// Writes a file in it and returns its path.
    std::string write(const std::string& name, const std::string& content) const;

private:
    std::string path_;
};

/// Server: an SQLite file behind a server, which the program asks instead.
enum class StoreKind { Sqlite, Postgres, Server };
[[nodiscard]] std::vector<StoreKind> store_kinds();  ///< those that this build has, asked directly
[[nodiscard]] std::vector<StoreKind> all_kinds();    ///< ... and through a server
[[nodiscard]] std::string name_of(const testing::TestParamInfo<StoreKind>& info);

/// The id of that number, for a task or job that names its own. All numbers of a test program begin alike, with eight
/// digits that say when; those of an hour ago begin otherwise.
[[nodiscard]] std::string own_id(unsigned number, bool of_an_hour_ago = false);

/// A place without a store in it yet, that a URL names.
class StorePlace {
public:
    virtual ~StorePlace() = default;
    [[nodiscard]] virtual std::string url() const = 0;
    [[nodiscard]] virtual std::string server() const { return ""; }  ///< that the program asks; empty: none
};
/// `folder` outlives it. PostgreSQL: a new database on the server that HOLDFAST_TEST_POSTGRES names.
[[nodiscard]] std::unique_ptr<StorePlace> make_place(StoreKind kind, const TempFolder& folder);

/// A worker in the test's own process, which does what the test tells it to.
class StandInWorker {
public:
    explicit StandInWorker(store::Store& store, std::vector<std::string> tags);

    /// Claims and starts the next task.
    store::ClaimedTask take();
    std::optional<store::ClaimedTask> take_if_any();
    void complete(const store::ClaimedTask& task, const std::string& result);
    void fail(const store::ClaimedTask& task, const TaskError& error);
    /// Appends to the log of a task that it runs.
    void print(const store::ClaimedTask& task, int sequence, const std::string& stream, const std::string& text);
    void print(const std::vector<store::LogChunk>& chunks);

private:
    void finish(store::FinishedRun run);

    store::Store& store_;
    Uuid id_;
};

/// Runs the program against one store.
class ProgramTest : public testing::Test {
protected:
    explicit ProgramTest(StoreKind kind) : place(make_place(kind, folder)) {}

    [[nodiscard]] RunParams command(std::vector<std::string> arguments) const;
    [[nodiscard]] Ran holdfast(std::vector<std::string> arguments) const;
    /// Submits a task through the program; its id.
    [[nodiscard]] std::string submit(std::vector<std::string> arguments) const;
    /// The task as `tasks show --json` prints it.
    [[nodiscard]] nlohmann::json show(const std::string& id) const;
    /// How events name the person who runs the program.
    [[nodiscard]] std::string who() const { return place->server().empty() ? "tester@" : "local from "; }
    [[nodiscard]] std::string how() const { return place->server().empty() ? "(cli)" : "(api)"; }
    /// The same store, opened in this process.
    [[nodiscard]] store::Store& store();

    TempFolder folder;
    std::unique_ptr<StorePlace> place;

private:
    std::unique_ptr<store::Store> store_;
};

/// ... on every kind of store.
class AnyStoreProgramTest : public ProgramTest, public testing::WithParamInterface<StoreKind> {
protected:
    AnyStoreProgramTest() : ProgramTest(GetParam()) {}
};

class SqliteProgramTest : public ProgramTest {
protected:
    SqliteProgramTest() : ProgramTest(StoreKind::Sqlite) {}
    [[nodiscard]] std::string file() const { return folder.path() + "/test.db"; }
};

}  // namespace holdfast::integration
