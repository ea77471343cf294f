#include "proof/chaos/cluster.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>
#include <stdexcept>

#include "base/text.h"
#include "platform/files.h"
#include "proof/chaos/cluster_faults.h"
#include "proof/crew/process.h"
#include "proof/crew/processes.h"

namespace holdfast::chaos {
namespace {

using std::chrono::milliseconds;

/// A cluster with a table, without anything of Holdfast.
class ClusterTest : public testing::Test {
protected:
    ClusterTest() : folder_("holdfast-cluster-test-") {
        chmod(folder_.path().c_str(), 0755);  // the user postgres must enter it
        std::filesystem::create_directory(folder_.path() + "/data");
        cluster_ =
            std::make_unique<Cluster>(ClusterParams{.folder = folder_.path() + "/data", .logs = folder_.path()});
        (void)cluster_->primary().ask("CREATE TABLE note (name text)");
    }

    [[nodiscard]] Cluster& cluster() { return *cluster_; }
    static void write(const Node& node, const std::string& name) {
        (void)node.ask(concat("INSERT INTO note VALUES ('", name, "')"));
    }
    static std::string rows(const Node& node) {
        return node.ask("SELECT coalesce(string_agg(name, ' ' ORDER BY name), '') FROM note");
    }
    /// Once they have replayed all that they have received.
    void expect_rows_everywhere(const std::string& names) {
        EXPECT_EQ(rows(cluster().primary()), names);
        for (Node* standby : cluster().standbys())
            standby->wait_for_answer("SELECT coalesce(string_agg(name, ' ' ORDER BY name), '') FROM note", names);
    }
    std::vector<Failover> strike(FaultKind kind, std::uint64_t draw) {
        std::vector<Failover> failovers;
        strike_cluster(cluster(), {.kind = kind, .draw = draw, .length = milliseconds(300)},
                       [&](const Failover& each) { failovers.push_back(each); });
        return failovers;
    }

private:
    platform::PrivateFolder folder_;
    std::unique_ptr<Cluster> cluster_;
};

TEST_F(ClusterTest, ReplicatesAndAcceptsWritesOnlyOnItsPrimary) {
    write(cluster().primary(), "a");
    expect_rows_everywhere("a");
    for (const Node* standby : cluster().standbys()) EXPECT_THROW(write(*standby, "b"), std::runtime_error);
}

TEST_F(ClusterTest, KeepsConfirmedRowsWhenThePrimaryIsKilled) {
    Node& old = cluster().primary();
    write(old, "a");
    old.kill();
    Node& next = cluster().promote();
    EXPECT_NE(&next, &old);
    EXPECT_EQ(rows(next), "a");
    write(next, "b");
    for (const bool by_rewind : {true, false}) {
        cluster().rejoin(old, by_rewind);
        cluster().wait_until_whole();
        expect_rows_everywhere("a b");
        old.stop(SIGQUIT);
    }
}

TEST_F(ClusterTest, PromotesTheStandbyThatHasMore) {
    const std::vector<Node*> standbys = cluster().standbys();
    for (Node* behind : standbys) {
        if (behind == &cluster().primary()) continue;
        Node& old = cluster().primary();
        behind->stop(SIGINT);
        write(old, behind->name());
        old.kill();
        behind->start(NodeRole::Standby);
        const Node& next = cluster().promote();
        EXPECT_NE(&next, behind);
        EXPECT_EQ(next.ask(concat("SELECT count(*) FROM note WHERE name = '", behind->name(), "'")), "1");
        cluster().rejoin(old, true);
        cluster().wait_until_whole();
    }
}

TEST_F(ClusterTest, LetsCommitsWaitWhileBothStandbysAreGone) {
    for (Node* standby : cluster().standbys()) standby->stop(SIGINT);
    const Node& primary = cluster().primary();
    crew::Process writer({.command = {"psql", "-Xqd", primary.url(), "-c", "INSERT INTO note VALUES ('a')"}});
    primary.wait_for_answer("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'", "1");
    EXPECT_EQ(rows(primary), "");
    for (Node* standby : cluster().standbys()) standby->start(NodeRole::Standby);
    EXPECT_EQ(writer.wait(), 0);
    expect_rows_everywhere("a");
}

TEST_F(ClusterTest, AnswersNothingWhileFrozenAndGoesOnAfterwards) {
    const Node& primary = cluster().primary();
    primary.freeze();
    crew::Process writer({.command = {"psql", "-Xqd", primary.url(), "-c", "INSERT INTO note VALUES ('a')"}});
    std::this_thread::sleep_for(milliseconds(500));  // it must still wait then
    EXPECT_TRUE(crew::is_alive(writer.pid()));
    primary.thaw();
    EXPECT_EQ(writer.wait(), 0);
    EXPECT_EQ(rows(primary), "a");
}

/// A frozen primary that wakes up must not find a standby that confirms its commits.
TEST_F(ClusterTest, ConfirmsNothingOnAnOldPrimaryThatWakesUp) {
    Node& old = cluster().primary();
    old.freeze();
    const Node& next = cluster().promote();
    old.thaw();
    crew::Process writer({.command = {"psql", "-Xqd", old.url(), "-c", "INSERT INTO note VALUES ('unconfirmed')"}});
    old.wait_for_answer("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'", "1");
    write(next, "a");
    old.kill();
    EXPECT_NE(writer.wait(), 0);
    cluster().rejoin(old, true);
    cluster().wait_until_whole();
    expect_rows_everywhere("a");
}

TEST_F(ClusterTest, ConfirmsRowsOnAZombieThatAreGoneWhenItRejoins) {
    Node& old = cluster().primary();
    old.kill();
    const Node& next = cluster().promote();
    old.configure({});
    old.start(NodeRole::Primary);
    write(old, "zombie");
    write(next, "a");
    EXPECT_EQ(rows(old), "zombie");
    EXPECT_EQ(rows(next), "a");
    old.stop(SIGINT);
    cluster().rejoin(old, true);
    cluster().wait_until_whole();
    expect_rows_everywhere("a");
}

TEST_F(ClusterTest, LosesRowsWithAPrimaryFromWhichNobodyReceived) {
    write(cluster().primary(), "before");
    cluster().make_synchronous(false);
    cluster().detach_standbys();
    write(cluster().primary(), "lost");
    Node& old = cluster().primary();
    old.kill();
    EXPECT_EQ(rows(cluster().promote()), "before");
    cluster().make_synchronous(true);
    cluster().rejoin(old, true);
    cluster().wait_until_whole();
    write(cluster().primary(), "later");
    expect_rows_everywhere("before later");
}

TEST_F(ClusterTest, LosesRowsWithARestoredBackupOnTheSameTimeline) {
    const char* timeline = "SELECT substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8)";
    write(cluster().primary(), "before");
    const std::string before = cluster().primary().ask(timeline);
    cluster().primary().back_up(cluster().backup_folder());
    write(cluster().primary(), "lost");
    cluster().restore(cluster().backup_folder());
    EXPECT_EQ(rows(cluster().primary()), "before");
    EXPECT_EQ(cluster().primary().ask(timeline), before);
    for (Node* standby : cluster().standbys()) cluster().rejoin(*standby, false);
    cluster().make_synchronous(true);
    cluster().wait_until_whole();
    expect_rows_everywhere("before");
}

TEST_F(ClusterTest, IsWholeAfterEveryFault) {
    write(cluster().primary(), "a");
    std::uint64_t draw = 0;
    for (const FaultKind kind : all_faults()) {
        if (!is_of_cluster(kind)) continue;
        const auto failovers = strike(kind, draw);
        ASSERT_EQ(failovers.size(), is_failover(kind) ? 1U : 0U) << to_text(kind);
        const bool loses = kind == FaultKind::AsyncCut || kind == FaultKind::RestoreBackup;
        for (const Failover& each : failovers) EXPECT_EQ(each.lost_since.has_value(), loses) << to_text(kind);
        expect_rows_everywhere("a");
        draw = ~draw;  // the choices differ
    }
}

}  // namespace
}  // namespace holdfast::chaos
