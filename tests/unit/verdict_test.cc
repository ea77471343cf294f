#include "core/task/verdict.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;

constexpr Duration long_ago = 24h * 365;

WorkerSeen seen(Evidence evidence, Duration age, Duration view = long_ago) {
    WorkerSeen worker;
    worker.evidence = evidence;
    worker.evidence_age = age;
    worker.unbroken_view = view;
    worker.beat_interval = 3s;
    worker.fence_after = 12s;
    return worker;
}

LeaseSeen claimed() {
    return {};
}

LeaseSeen running() {
    LeaseSeen lease;
    lease.started = true;
    return lease;
}

LeaseSeen running_again() {
    LeaseSeen lease = running();
    lease.on_crash = OnCrash::Requeue;
    return lease;
}

LeaseSeen with_key(LeaseSeen lease) {
    lease.holds_key = true;
    return lease;
}

LeaseSeen fenced(LeaseSeen lease, Fence fence) {
    lease.fence = fence;
    return lease;
}

LeaseSeen in_container(LeaseSeen lease, bool stopped) {
    lease.in_container = true;
    lease.container_stopped = stopped;
    return lease;
}

LeaseSeen out_of_time(LeaseSeen lease) {
    lease.out_of_time = true;
    return lease;
}

// ---- The table of waiting times, in the numbers of the defaults ---------------------------------

struct Case {
    const char* what;
    Evidence evidence;
    LeaseSeen lease;
    Duration wait;
    Action then;
};

const Case cases[] = {
    {"exited, claimed", Evidence::Exited, claimed(), 0s, Action::Requeue},
    {"exited, running", Evidence::Exited, running(), 0s, Action::Crash},
    {"exited, running with requeue", Evidence::Exited, running_again(), 0s, Action::Crash},
    {"exited, running with fence continue", Evidence::Exited, fenced(running_again(), Fence::Continue), 0s,
     Action::Crash},
    {"exited, container running", Evidence::Exited, in_container(running_again(), false), 300s, Action::Fail},
    {"exited, container stopped", Evidence::Exited, in_container(running_again(), true), 0s, Action::Crash},
    {"exited, container claimed", Evidence::Exited, in_container(claimed(), false), 0s, Action::Requeue},
    {"rebooted, claimed", Evidence::Rebooted, claimed(), 0s, Action::Requeue},
    {"rebooted, running with a key", Evidence::Rebooted, with_key(running()), 0s, Action::Crash},
    {"disconnected, claimed", Evidence::Disconnected, claimed(), 3s, Action::Requeue},
    {"disconnected, claimed with a key", Evidence::Disconnected, with_key(claimed()), 3s, Action::Requeue},
    {"disconnected, running", Evidence::Disconnected, running(), 3s, Action::Crash},
    {"disconnected, running with fence continue", Evidence::Disconnected, fenced(running(), Fence::Continue), 3s,
     Action::Crash},
    {"disconnected, running with requeue", Evidence::Disconnected, running_again(), 12s, Action::Crash},
    {"disconnected, running with a key", Evidence::Disconnected, with_key(running()), 12s, Action::Crash},
    {"disconnected, requeue and fence continue", Evidence::Disconnected, fenced(running_again(), Fence::Continue),
     300s, Action::Fail},
    {"disconnected, container running", Evidence::Disconnected, in_container(running(), false), 300s, Action::Fail},
    {"silent, claimed", Evidence::Silent, claimed(), 15s, Action::Requeue},
    {"silent, running", Evidence::Silent, running(), 15s, Action::Crash},
    {"silent, running with a key", Evidence::Silent, with_key(running()), 15s, Action::Crash},
    {"silent, key and fence continue", Evidence::Silent, with_key(fenced(running(), Fence::Continue)), 300s,
     Action::Fail},
    {"silent, container running", Evidence::Silent, in_container(running_again(), false), 300s, Action::Fail},
    {"unregistered, claimed", Evidence::Unregistered, claimed(), 15s, Action::Requeue},
    {"unregistered, running", Evidence::Unregistered, running(), 15s, Action::Crash},
    {"unregistered, running with requeue", Evidence::Unregistered, running_again(), 15s, Action::Crash},
    {"silent, out of time", Evidence::Silent, out_of_time(running()), 15s, Action::TimeOut},
    {"silent, out of time with a key", Evidence::Silent, out_of_time(with_key(running())), 15s, Action::TimeOut},
    {"silent, out of time in a container", Evidence::Silent, out_of_time(in_container(running(), false)), 15s,
     Action::TimeOut},
    {"silent, out of time in a container that may run again", Evidence::Silent,
     out_of_time(in_container(running_again(), false)), 300s, Action::TimeOut},
    {"disconnected, out of time, requeue", Evidence::Disconnected, out_of_time(running_again()), 12s,
     Action::TimeOut},
    {"exited, out of time", Evidence::Exited, out_of_time(running()), 0s, Action::Crash},
    {"exited, out of time in a container", Evidence::Exited, out_of_time(in_container(running(), false)), 0s,
     Action::TimeOut},
};

TEST(Verdict, EachKindOfEvidenceHasItsWaitAndStaleMeansStrictlyOlder) {
    for (const Case& c : cases) {
        const auto at = [&](Duration age) { return judge(seen(c.evidence, age), c.lease, {}).action; };
        EXPECT_EQ(required_age(seen(c.evidence, 0s), c.lease, {}), c.wait) << c.what;
        EXPECT_EQ(at(c.wait + 1us), c.then) << c.what;
        EXPECT_EQ(at(c.wait), c.wait == 0s ? c.then : Action::Keep) << c.what << ", exactly at the threshold";
        if (c.wait > 0s) {
            EXPECT_EQ(at(c.wait - 1us), Action::Keep) << c.what << ", just below the threshold";
        }
    }
}

TEST(Verdict, ALiveWorkersLeaseIsJudgedByItsQuietAlone) {
    for (const bool started : {false, true}) {
        LeaseSeen lease;
        lease.started = started;
        const Duration threshold = started ? 300s : 120s;
        lease.quiet_for = threshold;
        EXPECT_EQ(judge(seen(Evidence::None, long_ago), lease, {}).action, Action::Keep);
        lease.quiet_for = threshold + 1us;
        EXPECT_EQ(judge(seen(Evidence::None, 0s), lease, {}).action, started ? Action::Crash : Action::Requeue);
    }
}

TEST(Verdict, NoWaitIsCountedFromTimeInWhichTheObserverCouldNotSeeTheStore) {
    for (const Evidence evidence : {Evidence::Disconnected, Evidence::Silent}) {
        EXPECT_EQ(judge(seen(evidence, 1h, 1s), running(), {}).action, Action::Keep) << word_of(evidence);
        EXPECT_EQ(judge(seen(evidence, 1h, 1min), running(), {}).action, Action::Crash) << word_of(evidence);
    }
    LeaseSeen quiet = running();
    quiet.quiet_for = 1h;
    EXPECT_EQ(judge(seen(Evidence::None, 0s, 299s), quiet, {}).action, Action::Keep);
    EXPECT_EQ(judge(seen(Evidence::Exited, 1h, 299s), in_container(running(), false), {}).action, Action::Keep);
}

TEST(Verdict, CertainEvidenceNeedsNoUnbrokenView) {
    EXPECT_EQ(judge(seen(Evidence::Exited, 0s, 0s), running(), {}).action, Action::Crash);
    EXPECT_EQ(judge(seen(Evidence::Rebooted, 0s, 0s), claimed(), {}).action, Action::Requeue);
}

TEST(Verdict, ASlowBeaterIsGivenThreeOfItsOwnIntervals) {
    WorkerSeen worker = seen(Evidence::Silent, 30s);
    worker.beat_interval = 10s;
    EXPECT_EQ(judge(worker, running(), {}).action, Action::Keep);
    worker.evidence_age = 30s + 1us;
    EXPECT_EQ(judge(worker, running(), {}).action, Action::Crash);
}

TEST(Verdict, NobodyIsGivenATaskBeforeTheOldWorkersFenceHasFired) {
    for (const Evidence evidence : {Evidence::Disconnected, Evidence::Silent}) {
        WorkerSeen worker = seen(evidence, 40s);
        worker.fence_after = 40s;
        EXPECT_EQ(judge(worker, running_again(), {}).action, Action::Keep);
        EXPECT_EQ(judge(worker, with_key(running()), {}).action, Action::Keep);
        EXPECT_EQ(judge(worker, running(), {}).action, Action::Crash) << "which nobody else can be given";
        EXPECT_EQ(judge(worker, claimed(), {}).action, Action::Requeue) << "which has no run";
    }
}

TEST(Verdict, AShortFenceDoesNotShortenTheGraceOfADisconnectedWorker) {
    WorkerSeen worker = seen(Evidence::Disconnected, 3s);
    worker.fence_after = 1s;
    EXPECT_EQ(judge(worker, running_again(), {}).action, Action::Keep);
}

TEST(Verdict, ARunOutOfTimeIsRunAgainOnlyWhereItsOldRunIsSurelyDead) {
    const auto is_final = [](const LeaseSeen& lease) {
        return judge(seen(Evidence::Silent, 1h), out_of_time(lease), {}).is_final;
    };
    EXPECT_TRUE(is_final(running())) << "nothing stops it: its worker has no reason to fence it";
    EXPECT_FALSE(is_final(running_again()));
    EXPECT_FALSE(is_final(with_key(running())));
    EXPECT_TRUE(is_final(fenced(running_again(), Fence::Continue)));
    EXPECT_TRUE(is_final(in_container(running_again(), false)));
    EXPECT_EQ(judge(seen(Evidence::Silent, 16s), out_of_time(running()), {}).reason,
              "worker silent for 16s (limit 15s); its run did not end within its timeout");
    LeaseSeen quiet = out_of_time(running());
    quiet.quiet_for = 1h;
    EXPECT_EQ(judge(seen(Evidence::None, 0s), quiet, {}).action, Action::Crash)
        << "a live worker is asked to stop it";
}

TEST(Verdict, SwitchedOffRecoveryKeepsItsKindOfLeaseWhateverTheEvidence) {
    Thresholds thresholds;
    thresholds.auto_requeue_stale_claimed = false;
    EXPECT_EQ(judge(seen(Evidence::Exited, 1h), claimed(), thresholds).action, Action::Keep);
    EXPECT_EQ(judge(seen(Evidence::Exited, 1h), running(), thresholds).action, Action::Crash);
    thresholds = {};
    thresholds.auto_fail_stale_running = false;
    EXPECT_EQ(judge(seen(Evidence::Exited, 1h), claimed(), thresholds).action, Action::Requeue);
    EXPECT_EQ(judge(seen(Evidence::Exited, 1h), running(), thresholds).action, Action::Keep);
}

TEST(Verdict, ReasonsCarryTheEvidenceAndTheNumbers) {
    EXPECT_EQ(judge(seen(Evidence::Silent, 16s), claimed(), {}).reason,
              "worker silent for 16s (limit 15s); it had not started: requeued");
    EXPECT_EQ(judge(seen(Evidence::Silent, 16s, 4s), claimed(), {}).reason, "worker silent for 4s (limit 15s); kept");
    EXPECT_EQ(judge(seen(Evidence::Exited, 250ms), running(), {}).reason,
              "worker exited, seen 250ms ago; its run was cut short");
    EXPECT_EQ(judge(seen(Evidence::Rebooted, 1s), running(), {}).reason,
              "worker's host rebooted, seen 1s ago; its run was cut short");
    EXPECT_EQ(judge(seen(Evidence::None, 0s), running(), {}).reason, "worker alive (limit 5m); kept");
    LeaseSeen quiet = running();
    quiet.quiet_for = 6min;
    EXPECT_EQ(judge(seen(Evidence::None, 0s), quiet, {}).reason,
              "worker alive, but no sign of its run for 6m (limit 5m); its run was cut short");
    EXPECT_EQ(judge(seen(Evidence::Disconnected, 6min), in_container(running(), false), {}).reason,
              "worker disconnected for 6m (limit 5m); its run may still go on and could not be stopped: failed, "
              "not run again");
    Thresholds off;
    off.auto_fail_stale_running = false;
    EXPECT_EQ(judge(seen(Evidence::Disconnected, 4s), running(), off).reason,
              "worker disconnected for 4s; kept, because auto_fail_stale_running is off");
}

TEST(Verdict, ActionsEndTheLeaseSoThatSettlingDoesWhatTheySay) {
    TaskPolicy generous;
    generous.retry.max_attempts = 10;
    generous.on_crash = OnCrash::Requeue;
    const auto settled = [&](Action action, const TaskPolicy& policy) {
        EndedLease lease{};
        lease.end = lease_end(action).value();
        lease.error.code = error_code::worker_crashed;
        return settle(lease, policy).state;
    };
    EXPECT_EQ(lease_end(Action::Keep), std::nullopt);
    EXPECT_EQ(settled(Action::Requeue, {}), TaskState::Pending);
    EXPECT_EQ(settled(Action::Crash, {}), TaskState::Failed);
    EXPECT_EQ(settled(Action::Crash, generous), TaskState::Pending);
    EXPECT_EQ(settled(Action::Fail, generous), TaskState::Failed);
}

// ---- Every combination, against the rules told a second time: as vetoes -------------------------

/// Every reason for which the lease has to be left alone. The verdict must be Keep exactly when there is one.
std::vector<std::string> vetoes(const WorkerSeen& worker, const LeaseSeen& lease, const Thresholds& thresholds) {
    std::vector<std::string> vetoes;
    const auto not_older_than = [&](Duration limit, const char* rule) {
        const Duration age = worker.evidence == Evidence::None ? lease.quiet_for : worker.evidence_age;
        if (age <= limit || worker.unbroken_view <= limit) vetoes.emplace_back(rule);
    };
    const bool shared = lease.on_crash == OnCrash::Requeue || lease.holds_key;
    const bool no_beats = worker.evidence == Evidence::Silent || worker.evidence == Evidence::Unregistered;
    const bool only_lost_sight = worker.evidence == Evidence::Disconnected || no_beats;

    if (!lease.started && !thresholds.auto_requeue_stale_claimed) vetoes.emplace_back("requeueing is off");
    if (lease.started && !thresholds.auto_fail_stale_running) vetoes.emplace_back("failing is off");
    if (worker.evidence == Evidence::Disconnected) not_older_than(thresholds.disconnect_grace, "grace");
    if (no_beats) not_older_than(thresholds.worker_stale, "worker_stale");
    if (no_beats) not_older_than(worker.beat_interval * 3, "three beats");
    if (only_lost_sight && lease.started && shared) not_older_than(worker.fence_after, "fence");
    if (only_lost_sight && lease.started && shared && lease.fence == Fence::Continue)
        not_older_than(thresholds.running_stale, "told to go on");
    if (worker.evidence == Evidence::None)
        not_older_than(lease.started ? thresholds.running_stale : thresholds.claimed_stale, "quiet");
    const bool waits_for_nobody = lease.out_of_time && worker.evidence != Evidence::None && !shared;
    if (lease.started && lease.in_container && !lease.container_stopped && !waits_for_nobody)
        not_older_than(thresholds.running_stale, "container");
    return vetoes;
}

Action promised_end(const WorkerSeen& worker, const LeaseSeen& lease) {
    if (!lease.started) return Action::Requeue;
    const bool out_of_sight = worker.evidence == Evidence::Disconnected || worker.evidence == Evidence::Silent ||
                              worker.evidence == Evidence::Unregistered;
    const bool told_to_go_on =
        lease.fence == Fence::Continue && (lease.on_crash == OnCrash::Requeue || lease.holds_key) && out_of_sight;
    const bool out_of_reach = lease.in_container && !lease.container_stopped;
    if (lease.out_of_time && worker.evidence != Evidence::None && (out_of_sight || out_of_reach))
        return Action::TimeOut;
    return told_to_go_on || out_of_reach ? Action::Fail : Action::Crash;
}

std::vector<LeaseSeen> every_lease() {
    std::vector<LeaseSeen> leases;
    for (const bool started : {false, true})
        for (const OnCrash on_crash : {OnCrash::Fail, OnCrash::Requeue})
            for (const bool holds_key : {false, true})
                for (const Fence fence : {Fence::Auto, Fence::Stop, Fence::Continue})
                    for (const auto& [container, stopped] : {std::pair(false, false), {true, false}, {true, true}})
                        for (const bool late : {false, true})
                            leases.push_back({started, on_crash, holds_key, fence, container, stopped, 0s, late});
    return leases;
}

std::vector<Thresholds> every_thresholds() {
    std::vector<Thresholds> all;
    for (const bool claimed_on : {false, true})
        for (const bool running_on : {false, true}) {
            Thresholds thresholds;
            thresholds.auto_requeue_stale_claimed = claimed_on;
            thresholds.auto_fail_stale_running = running_on;
            all.push_back(thresholds);
        }
    return all;
}

/// Just below, at and just above every threshold in play.
std::vector<Duration> every_age() {
    std::vector<Duration> ages{0s, long_ago};
    for (const Duration threshold : {Duration(3s), Duration(12s), Duration(15s), Duration(30s), Duration(40s),
                                     Duration(120s), Duration(300s), Duration(400s)})
        for (const Duration edge : {-1us, 0us, 1us}) ages.push_back(threshold + edge);
    return ages;
}

void expect_rules_kept(WorkerSeen worker, LeaseSeen lease, const Thresholds& thresholds, Duration age) {
    // The age that must not matter is set to tempt.
    worker.evidence_age = worker.evidence == Evidence::None ? long_ago : age;
    lease.quiet_for = worker.evidence == Evidence::None ? age : long_ago;
    const auto against = vetoes(worker, lease, thresholds);
    const Action promised = against.empty() ? promised_end(worker, lease) : Action::Keep;
    const Verdict verdict = judge(worker, lease, thresholds);
    ASSERT_EQ(static_cast<int>(verdict.action), static_cast<int>(promised))
        << verdict.reason << "\n  evidence " << word_of(worker.evidence) << " age " << format_duration(age)
        << " view " << format_duration(worker.unbroken_view) << " interval " << format_duration(worker.beat_interval)
        << " fence " << format_duration(worker.fence_after) << "; started " << lease.started << " requeue "
        << (lease.on_crash == OnCrash::Requeue) << " key " << lease.holds_key << " fence policy "
        << static_cast<int>(lease.fence) << " container " << lease.in_container << lease.container_stopped
        << "; vetoes: " << join(against, ", ");
}

TEST(Verdict, EveryCombinationOfEvidenceLeasePolicyFlagsAndAgesKeepsTheRules) {
    const auto leases = every_lease();
    const auto all_thresholds = every_thresholds();
    const auto ages = every_age();
    for (const Evidence evidence : {Evidence::None, Evidence::Silent, Evidence::Unregistered, Evidence::Disconnected,
                                    Evidence::Rebooted, Evidence::Exited})
        for (const auto& [interval, fence] : {std::pair(3s, 12s), {10s, 40s}, {3s, 400s}})
            for (const Duration age : ages)
                for (const Duration view : {age - 1us, age, long_ago}) {
                    WorkerSeen worker = seen(evidence, age, std::max<Duration>(view, 0s));
                    worker.beat_interval = interval;
                    worker.fence_after = fence;
                    for (const LeaseSeen& lease : leases)
                        for (const Thresholds& thresholds : all_thresholds)
                            ASSERT_NO_FATAL_FAILURE(expect_rules_kept(worker, lease, thresholds, age));
                }
}

}  // namespace
}  // namespace holdfast::core
