#include "tests/config/loading.h"

namespace holdfast::config {

namespace {

using ::testing::ElementsAre;

class Rules : public Loading {};

TEST_F(Rules, AcceptAThresholdOfExactlyTwiceTheInterval) {
    write(
        "recovery:\n"
        "  runner_heartbeat_interval_ms: 30000\n  running_stale_threshold_ms: 60000\n"
        "  claimer_heartbeat_interval_ms: 30000\n  claimed_stale_threshold_ms: 60000\n");
    EXPECT_EQ(shown("recovery.running_stale_threshold_ms"), "60000 (holdfast.yaml:3)");
    EXPECT_EQ(shown("recovery.claimed_stale_threshold_ms"), "60000 (holdfast.yaml:5)");
}

TEST_F(Rules, RefuseAThresholdOfOneMillisecondLessThanTwiceTheInterval) {
    write(
        "recovery:\n"
        "  runner_heartbeat_interval_ms: 30000\n  running_stale_threshold_ms: 59999\n"
        "  claimer_heartbeat_interval_ms: 30000\n  claimed_stale_threshold_ms: 59999\n");
    EXPECT_THAT(complaints(),
                ElementsAre("holdfast.yaml:3:3: recovery.running_stale_threshold_ms: running_stale_threshold_ms too "
                            "low: found 59999; "
                            "allowed: at least 60000, twice runner_heartbeat_interval_ms (30000, holdfast.yaml:2); "
                            "raise running_stale_threshold_ms to 60000, or lower "
                            "runner_heartbeat_interval_ms to 29999",
                            "holdfast.yaml:5:3: recovery.claimed_stale_threshold_ms: claimed_stale_threshold_ms too "
                            "low: found 59999; "
                            "allowed: at least 60000, twice claimer_heartbeat_interval_ms (30000, holdfast.yaml:4); "
                            "raise claimed_stale_threshold_ms to 60000, or lower "
                            "claimer_heartbeat_interval_ms to 29999"));
}

TEST_F(Rules, CountTheDefaultIntervalAgainstAThresholdFromTheFile) {
    write("recovery: {running_stale_threshold_ms: 59999}\n");
    EXPECT_EQ(only_error().title, "running_stale_threshold_ms too low");
    EXPECT_EQ(only_error().allowed, "at least 60000, twice runner_heartbeat_interval_ms (30000, default)");
}

TEST_F(Rules, BlameTheIntervalWhenTheThresholdIsTheDefault) {
    write("store: sqlite:x.db\nrecovery:\n  claimer_heartbeat_interval_ms: 60001\n");
    EXPECT_EQ(only_error().title, "claimed_stale_threshold_ms too low");
    EXPECT_EQ(only_error().found, "120000 (default)");
    EXPECT_EQ(only_error().where.position.line, 3);
}

TEST_F(Rules, HoldBetweenLayers) {
    write("recovery: {running_stale_threshold_ms: 60000}\n");
    params.environment["HOLDFAST_RECOVERY_RUNNER_HEARTBEAT_INTERVAL_MS"] = "31s";
    EXPECT_EQ(only_error().title, "running_stale_threshold_ms too low");
    params.environment["HOLDFAST_RECOVERY_RUNNING_STALE_THRESHOLD_MS"] = "61s";
    EXPECT_EQ(only_error().where.name, "HOLDFAST_RECOVERY_RUNNING_STALE_THRESHOLD_MS");
    params.environment["HOLDFAST_RECOVERY_RUNNING_STALE_THRESHOLD_MS"] = "62s";
    EXPECT_EQ(accepted().recovery.running_stale_threshold, std::chrono::seconds(62));
}

TEST_F(Rules, WantThreeLooksWithinTheWorkersThreshold) {
    write("recovery: {worker_stale_threshold_ms: 3000, liveness_interval_ms: 1000}\n");
    EXPECT_EQ(accepted().recovery.worker_stale_threshold, std::chrono::seconds(3));
    write("recovery: {worker_stale_threshold_ms: 2999, liveness_interval_ms: 1000}\n");
    EXPECT_EQ(only_error().title, "worker_stale_threshold_ms too low");
}

TEST_F(Rules, AllowALongBeatBesideTheDefaultThreshold) {
    write("worker: {heartbeat_interval: 30}\n");
    EXPECT_EQ(accepted().worker.heartbeat_interval, std::chrono::seconds(30));
}

TEST_F(Rules, ConcludeNothingFromAValueThatIsWrongByItself) {
    write("recovery: {claimed_stale_threshold_ms: long, claimer_heartbeat_interval_ms: 90000}\n");
    EXPECT_EQ(only_error().title, "not a duration");
}

TEST_F(Rules, RefuseACertificateWithoutItsKeyAndAKeyWithoutItsCertificate) {
    write("server: {tls_certificate: a.crt}\n");
    EXPECT_THAT(complaints(),
                ElementsAre("holdfast.yaml:1:10: server.tls_certificate: tls_certificate without tls_key: "
                            "found a.crt; allowed: both, or neither; also name server.tls_key"));
    write("server: {tls_key: a.key}\n");
    EXPECT_EQ(only_error().title, "tls_key without tls_certificate");
    write("server: {tls_key: a.key, tls_certificate: a.crt}\n");
    EXPECT_EQ(shown("server.tls_key"), "a.key (holdfast.yaml:1)");
}

}  // namespace

}  // namespace holdfast::config
