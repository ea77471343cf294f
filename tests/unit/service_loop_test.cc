#include "platform/service_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "platform/sockets.h"

namespace holdfast::platform {
namespace {

using testing::ElementsAre;

TEST(ServiceLoop, HandlesWhatArrivedOnDescriptorsBeforeWhatWasPosted) {
    ServiceLoop loop;
    std::vector<std::string> handled;
    loop.post([&] { handled.emplace_back("posted"); });
    auto [read_end, write_end] = pipe_pair();
    loop.watch(read_end.get(), [&] {
        handled.emplace_back("arrived");
        loop.forget(read_end.get());
    });
    ASSERT_EQ(write(write_end.get(), "x", 1), 1);
    loop.turn(std::chrono::seconds(10));
    EXPECT_THAT(handled, ElementsAre("arrived", "posted"));
}

TEST(ServiceLoop, HandlesWhatIsPostedByWhatItHandlesInTheNextTurn) {
    ServiceLoop loop;
    std::vector<std::string> handled;
    loop.post([&] {
        handled.emplace_back("first");
        loop.post([&] { handled.emplace_back("second"); });
    });
    loop.turn(std::chrono::seconds(10));
    EXPECT_THAT(handled, ElementsAre("first"));
    loop.turn(std::chrono::seconds(10));
    EXPECT_THAT(handled, ElementsAre("first", "second"));
}

}  // namespace
}  // namespace holdfast::platform
