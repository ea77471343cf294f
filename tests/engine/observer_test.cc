#include "engine/recovery/observer.h"

#include <gtest/gtest.h>

namespace holdfast::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Observing : ::testing::Test {
    Observer observer{seconds(5)};
    store::WorkerLiveness worker;
    store::LivenessView view;
    Sight sight;
    Duration now = std::chrono::hours(1);

    Observing() {
        worker.id = Uuid({1});
        worker.name = "w";
        worker.host.boot_id = "boot";
        worker.beat = 7;
        worker.beat_interval = seconds(3);
        worker.fence_after = seconds(15);
    }
    void look(Duration passed = seconds(1)) {
        now += passed;
        view.workers = {worker};
        observer.see(view, {{worker.id, sight}}, now);
    }
    void look_for(Duration span) {
        for (Duration passed{}; passed < span; passed += seconds(1)) look();
    }
    [[nodiscard]] core::WorkerSeen seen() const { return observer.worker(worker.id, now); }
};

TEST_F(Observing, AWorkerWhoseBeatNumberChangesIsAlive) {
    for (int i = 0; i < 30; ++i) {
        look();
        ++worker.beat;
        EXPECT_EQ(seen().evidence, core::Evidence::None);
    }
}

TEST_F(Observing, AWorkerWhoseBeatNumberStandsStillIsSilentSinceItWasSeenToChange) {
    look();
    const Duration changed = now;
    look_for(seconds(10));
    EXPECT_EQ(seen().evidence, core::Evidence::Silent);
    EXPECT_EQ(seen().evidence_age, now - changed);
    ++worker.beat;
    look();
    EXPECT_EQ(seen().evidence, core::Evidence::None);
}

TEST_F(Observing, AWorkerWithoutARowKeepsWhatItsRowDeclared) {
    worker.fence_after = seconds(40);
    look();
    now += seconds(1);
    view.workers = {};
    view.unregistered = {worker.id, Uuid({2})};
    observer.see(view, {}, now);
    now += seconds(1);
    observer.see(view, {}, now);
    EXPECT_EQ(observer.unregistered(worker.id, now).evidence, core::Evidence::Unregistered);
    EXPECT_EQ(observer.unregistered(worker.id, now).evidence_age, seconds(1));
    EXPECT_EQ(observer.unregistered(worker.id, now).fence_after, seconds(40));
    EXPECT_EQ(observer.unregistered(Uuid({2}), now).fence_after, core::longest_fence)
        << "never seen: the most there is";
    now += seconds(10);
    observer.see(view, {}, now);
    EXPECT_EQ(observer.unregistered(worker.id, now).evidence_age, Duration::zero()) << "after a gap";
    EXPECT_EQ(observer.unregistered(worker.id, now).fence_after, seconds(40));
}

TEST_F(Observing, AGapBetweenTwoLooksStartsAllCountsAnew) {
    look_for(seconds(10));
    look(seconds(6));
    EXPECT_EQ(seen().evidence, core::Evidence::None);
    EXPECT_EQ(seen().unbroken_view, Duration::zero());
    look_for(seconds(4));
    EXPECT_EQ(seen().unbroken_view, seconds(4));
}

TEST_F(Observing, AGapAsLongAsAllowedDoesNot) {
    look_for(seconds(10));
    look(seconds(5));
    EXPECT_EQ(seen().evidence, core::Evidence::Silent);
}

TEST_F(Observing, ALookThatFailedStartsAllCountsAnew) {
    look_for(seconds(10));
    observer.lose_sight();
    look();
    EXPECT_EQ(seen().evidence, core::Evidence::None);
    EXPECT_EQ(seen().unbroken_view, Duration::zero());
}

TEST_F(Observing, ARestartedServerStartsAllCountsAnew) {
    view.store_epoch = "monday";
    look_for(seconds(10));
    view.store_epoch = "tuesday";
    look();
    EXPECT_EQ(seen().evidence, core::Evidence::None);
}

TEST_F(Observing, AWorkerThatLostItsSessionIsDisconnectedUntilItBeats) {
    worker.proves_session = worker.session_held = true;
    look();
    worker.session_held = false;
    look();
    const Duration lost = now;
    look_for(seconds(2));
    EXPECT_EQ(seen().evidence, core::Evidence::Disconnected);
    EXPECT_EQ(seen().evidence_age, now - lost);
    ++worker.beat;
    look();
    EXPECT_EQ(seen().evidence_age, Duration::zero());
}

TEST_F(Observing, AWorkerBehindAServerIsDisconnectedSinceItsStreamEndedUntilItBeats) {
    worker.via = store::Via::Server;
    look_for(seconds(2));
    EXPECT_EQ(seen().evidence, core::Evidence::None);
    worker.disconnected = true;
    look();
    const Duration ended = now;
    look_for(seconds(2));
    EXPECT_EQ(seen().evidence, core::Evidence::Disconnected);
    EXPECT_EQ(seen().evidence_age, now - ended);
    worker.disconnected = false;  // the store compares the beat at the end with the last one
    ++worker.beat;
    look();
    EXPECT_EQ(seen().evidence, core::Evidence::None);
}

TEST_F(Observing, AWorkerWithItsOwnStoreIsNotJudgedByAStream) {
    worker.disconnected = true;
    look_for(seconds(3));
    EXPECT_EQ(seen().evidence, core::Evidence::None);
}

TEST_F(Observing, AWorkerThatNeverProvedASessionIsNeverDisconnected) {
    look_for(seconds(3));
    EXPECT_EQ(seen().evidence, core::Evidence::None);
}

TEST_F(Observing, AFreeLockIsCertainAtOnce) {
    look();
    sight = {core::Evidence::Exited, "its lock is free", true};
    look();
    EXPECT_EQ(seen().evidence, core::Evidence::Exited);
}

TEST_F(Observing, AWorkerThatHasNeverBeatenIsNotJudgedByItsLock) {
    worker.beat = 0;
    sight = {core::Evidence::Exited, "its lock is free", true};
    look();
    EXPECT_EQ(seen().evidence, core::Evidence::None);
}

TEST_F(Observing, AMissingProcessIsNoEvidenceWhileItsSessionIsHeld) {
    worker.proves_session = worker.session_held = true;
    sight = {core::Evidence::Exited, "process 7 is gone"};
    look_for(seconds(3));
    EXPECT_EQ(seen().evidence, core::Evidence::None) << "a cloned machine";
    worker.session_held = false;
    look();
    EXPECT_EQ(seen().evidence, core::Evidence::Exited);
}

TEST_F(Observing, WithoutSessionsAMissingProcessNeedsTwoMissingBeats) {
    sight = {core::Evidence::Exited, "process 7 is gone"};
    look();
    look_for(seconds(6));
    EXPECT_EQ(seen().evidence, core::Evidence::None);
    look();
    EXPECT_EQ(seen().evidence, core::Evidence::Exited);
}

TEST_F(Observing, AWorkerThatBeatsOnAfterItWasSeenDeadDiscreditsItsHostForGood) {
    sight = {core::Evidence::Exited, "its lock is free", true};
    look();
    look();
    ++worker.beat;
    look();
    EXPECT_EQ(seen().evidence, core::Evidence::Exited) << "one beat may have been on its way";
    ++worker.beat;
    look();
    EXPECT_EQ(seen().evidence, core::Evidence::None);
    EXPECT_TRUE(observer.is_discredited("boot"));
    look_for(seconds(4));
    EXPECT_EQ(seen().evidence, core::Evidence::None);
}

TEST_F(Observing, AWorkerThatBeatsOnFromALowerNumberDiscreditsItsHostToo) {
    sight = {core::Evidence::Exited, "its lock is free", true};
    look();
    look();
    view.store_epoch = "rank 2";  // the store has gone back in time
    worker.beat = 2;
    look();
    EXPECT_EQ(seen().evidence, core::Evidence::Exited);
    for (int beat = 0; beat < 2; ++beat) {
        ++worker.beat;
        look();
    }
    EXPECT_TRUE(observer.is_discredited("boot"));
}

TEST_F(Observing, BeatsThatALateViewDidNotShowYetDiscreditNobody) {
    sight = {core::Evidence::Exited, "its lock is free", true};
    look();  // the view was on its way while the worker beat on, and died
    worker.beat += 5;
    look();
    EXPECT_EQ(seen().evidence, core::Evidence::Exited);
    EXPECT_FALSE(observer.is_discredited("boot"));
}

}  // namespace
}  // namespace holdfast::engine
