#include "server/api/store_pool.h"

#include <future>

#include "client/connect.h"
#include "tests/api/api_fixture.h"

namespace holdfast::api_test {

class ApiStorePool : public ApiFixture {
protected:
    api::StorePool pool_of(std::size_t size) {
        return {[this] {
                    ++opened;
                    return client::connect({.url = "sqlite:" + database->address(), .limits = {}});
                },
                size};
    }
    int opened = 0;
};

TEST_F(ApiStorePool, AConnectionThatCameBackIsLentAgain) {
    auto pool = pool_of(2);
    { const auto lent = pool.lend(); }
    { const auto lent = pool.lend(); }
    EXPECT_EQ(opened, 1);
    const auto one = pool.lend(), two = pool.lend();
    EXPECT_EQ(opened, 2);
    EXPECT_NE(&*one, &*two);
}

TEST_F(ApiStorePool, ACallerWaitsForTheFirstReturnWhenAllAreLent) {
    auto pool = pool_of(1);
    auto lent = std::make_unique<api::StorePool::Lent>(pool.lend());
    auto next = std::async(std::launch::async, [&] { return (*pool.lend()).now(); });
    EXPECT_EQ(next.wait_for(50ms), std::future_status::timeout);
    lent.reset();
    EXPECT_EQ(next.wait_for(4s), std::future_status::ready);
    EXPECT_EQ(opened, 1);
}

TEST_F(ApiStorePool, AFailureToOpenTakesNoPlace) {
    bool is_away = true;
    api::StorePool pool(
        [&]() -> std::unique_ptr<store::Store> {
            if (is_away) throw Unavailable("away");
            return client::connect({.url = "sqlite:" + database->address(), .limits = {}});
        },
        1);
    for (int i = 0; i < 3; ++i) EXPECT_THROW((void)pool.lend(), Unavailable);
    is_away = false;
    EXPECT_NO_THROW((void)pool.lend());
}

}  // namespace holdfast::api_test
