#include "proof/sim/fiber.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace holdfast::sim {
namespace {

TEST(Fiber, GoesOnWhereItPaused) {
    std::string said;
    Fiber fiber([&] {
        said += "a";
        Fiber::pause();
        said += "b";
    });
    fiber.resume();
    said += "-";
    fiber.resume();
    EXPECT_EQ(said, "a-b");
    EXPECT_TRUE(fiber.has_ended());
}

TEST(Fiber, ThatIsNotToGoOnIsUnwound) {
    struct Flag {
        bool& set;
        ~Flag() { set = true; }
    };
    bool unwound = false, went_on = false;
    {
        Fiber fiber([&] {
            const Flag flag{unwound};
            Fiber::pause();
            went_on = true;
        });
        fiber.resume();
    }
    EXPECT_TRUE(unwound);
    EXPECT_FALSE(went_on);
}

TEST(Fiber, KeepsItsExceptionsApartFromThoseOfOthers) {
    const auto body = [](const std::string& name) {
        return [name] {
            try {
                throw std::runtime_error(name);
            } catch (const std::runtime_error& caught) {
                Fiber::pause();
                EXPECT_EQ(caught.what(), name);
                try {
                    throw;
                } catch (const std::runtime_error& again) {
                    EXPECT_EQ(again.what(), name);
                }
            }
        };
    };
    Fiber first(body("first")), second(body("second"));
    first.resume();
    second.resume();
    first.resume();
    second.resume();
    EXPECT_TRUE(first.has_ended() && second.has_ended());
}

}  // namespace
}  // namespace holdfast::sim
