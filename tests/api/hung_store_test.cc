#include <atomic>
#include <condition_variable>
#include <thread>

#include "client/connect.h"
#include "store/relay_store.h"
#include "tests/api/api_fixture.h"

namespace holdfast::api_test {

/// Lets the calls of stores through, or makes them wait.
class StoreGate {
public:
    void pass() {
        std::unique_lock lock(mutex_);
        ++waiting_;
        changed_.notify_all();
        changed_.wait(lock, [this] { return is_open_; });
        --waiting_;
    }
    void set(bool is_open) {
        const std::lock_guard lock(mutex_);
        is_open_ = is_open;
        changed_.notify_all();
    }
    /// Waits until that many calls wait.
    void await(int count) {
        std::unique_lock lock(mutex_);
        EXPECT_TRUE(changed_.wait_for(lock, 1min, [&] { return waiting_ >= count; }));
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_open_ = true;
    int waiting_ = 0;
};

/// A store whose calls wait while the gate is shut.
class GatedStore final : public store::RelayStore<GatedStore> {
public:
    GatedStore(std::unique_ptr<store::Store> store, StoreGate& gate) : store_(std::move(store)), gate_(gate) {}

    std::unique_ptr<store::Watch> watch(store::Topic topic) override { return store_->watch(topic); }
    [[nodiscard]] std::string describe() const override { return store_->describe(); }
    [[nodiscard]] std::int64_t rank() const override { return store_->rank(); }

    template <typename Call>
    auto relay(const char* /*verb*/, store::Effect /*effect*/, const Call& call) {
        gate_.pass();
        return call(*store_);
    }

private:
    const std::unique_ptr<store::Store> store_;
    StoreGate& gate_;
};

class HungStore : public ApiFixture {
protected:
    void SetUp() override {
        ApiFixture::SetUp();
        api::ApiParts given = parts(api::Login::WhenTokensExist);
        given.open_store = [this, open = given.open_store] { return std::make_unique<GatedStore>(open(), gate); };
        given.store_is_out = [this] { return is_out.load(); };
        given.metrics = [] { return std::string("holdfast_store_up 0\n"); };
        api = std::make_unique<api::Api>(std::move(given), random, log);
    }
    void TearDown() override {
        gate.set(true);
        ApiFixture::TearDown();
    }
    void hang() {
        gate.set(false);
        is_out = true;
    }

    StoreGate gate;
    std::atomic<bool> is_out = false;
};

TEST_F(HungStore, MetricsAreServedToAClientThatWasKnownBefore) {
    const std::string token = make_token("prometheus", store::Scope::Read);
    ASSERT_EQ(get_as(token, "/metrics").status, 200);
    hang();
    for (int i = 0; i < 3; ++i) EXPECT_EQ(get_as(token, "/metrics").status, 200);
}

TEST_F(HungStore, MetricsAreRefusedAtOnceToAClientThatIsNotKnown) {
    const std::string known = make_token("prometheus", store::Scope::Read);
    const std::string other = make_token("other", store::Scope::Read);
    ASSERT_EQ(get_as(known, "/metrics").status, 200);
    hang();
    const Answer refused = get_as(other, "/metrics");
    EXPECT_EQ(refused.status, 503);
    EXPECT_EQ(refused.code(), "STORE_UNAVAILABLE");
    EXPECT_NE(refused.header("retry-after"), "");
}

TEST_F(HungStore, ProbesAnswerWhileACallWaits) {
    hang();
    std::thread caller([&] { (void)get("/api/overview"); });
    gate.await(1);
    EXPECT_EQ(get("/healthz").status, 200);
    EXPECT_THAT((std::vector{200, 503}), Contains(get("/readyz").status));
    gate.set(true);
    caller.join();
}

TEST_F(HungStore, ARequestThatFailsDuringAnOutageIsNotReportedOnItsOwn) {
    api::ApiParts given = parts(api::Login::Never);
    given.open_store = []() -> std::unique_ptr<store::Store> { throw Unavailable("it is gone"); };
    given.store_is_out = [this] { return is_out.load(); };
    api = std::make_unique<api::Api>(std::move(given), random, log);
    const auto reported = [&] {
        return std::ranges::count_if(log.levels_and_messages(), [](const auto& line) {
            return line.first >= LogLevel::Warning && line.second.find("could not be answered") != std::string::npos;
        });
    };
    EXPECT_EQ(get("/api/overview").status, 503);
    EXPECT_EQ(reported(), 1);
    is_out = true;
    EXPECT_EQ(get("/api/overview").status, 503);
    EXPECT_EQ(reported(), 1);
}

TEST(LanesOfTheApi, OnlyRequestsThatNeedTheStoreUseItsThreads) {
    const auto lane = [](const std::string& target) { return api::lane_of(request_of({.target = target})); };
    for (const char* const target :
         {"/", "/jobs/01a1", "/assets/index.js", "/api/docs", "/api/openapi.json", "/metrics"})
        EXPECT_EQ(lane(target), http::Lane::Memory) << target;
    for (const char* const target : {"/healthz", "/readyz"}) EXPECT_EQ(lane(target), http::Lane::Probe) << target;
    for (const char* const target : {"/api/tasks", "/api/overview", "/api/unknown"})
        EXPECT_EQ(lane(target), http::Lane::Usual) << target;
}

TEST(BeforeTheStart, ProbesAreAnsweredAndAllOtherRequestsAreToldToComeBack) {
    const std::vector<api::Readiness> checks = {{"store", {.ok = false, .detail = "not done yet"}}};
    const auto status = [&](const std::string& target) {
        return api::answer_before_start(request_of({.target = target}), checks).status;
    };
    EXPECT_EQ(status("/healthz"), 200);
    EXPECT_EQ(status("/readyz"), 503);
    const http::Response refused = api::answer_before_start(request_of({.target = "/api/tasks"}), checks);
    EXPECT_EQ(refused.status, 503);
    EXPECT_THAT(refused.headers, Contains(testing::Pair("retry-after", "2")));
    EXPECT_THAT(refused.body, HasSubstr("STORE_UNAVAILABLE"));
}

}  // namespace holdfast::api_test
