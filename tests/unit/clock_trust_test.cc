#include "core/task/clock_trust.h"

#include <gmock/gmock.h>

#include "base/text.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

const Timestamp noon{std::chrono::hours(500'000)};

TEST(ClockTrust, EveryCombinationOfGapWatchingAndVouchingKeepsTheRules) {
    for (const Duration gap : {-1000h, -1h, 0h, 1h, 24h, 24h + 1h, 1000h})
        for (const Duration edge : {-1us, 0us, 1us})
            for (const Duration before : {0h, 12h, 24h})
                for (const Duration watched : {Duration(0h), Duration(12h - 1us), Duration(12h), Duration(24h)})
                    for (const bool vouched : {false, true})
                        for (const bool is_known : {false, true}) {
                            const ClockWitness witness{is_known ? std::optional(noon) : std::nullopt, before};
                            const Timestamp now = noon + gap + edge;
                            const ClockTrust trust = trust_clock(witness, {now, watched, vouched});
                            const bool is_in_doubt = !is_known || now - noon > 24h;
                            const bool settles_it = vouched || before + watched >= 24h;
                            ASSERT_EQ(trust.is_trusted, !is_in_doubt || settles_it)
                                << format_duration(gap + edge) << " " << format_duration(before + watched);
                            const ClockWitness next = trust.is_trusted
                                                          ? ClockWitness{now, {}}
                                                          : ClockWitness{witness.trusted_at, before + watched};
                            ASSERT_EQ(trust.witness, next);
                            ASSERT_EQ(describe_doubt(trust, now).empty(), trust.is_trusted);
                        }
}

TEST(ClockTrust, AClockThatIsWrongForAWhileNeverVouchesForItself) {
    ClockWitness witness{noon, {}};
    const Timestamp wrong = noon + 24h * 60;
    for (int second = 0; second < 8; ++second) {
        const ClockTrust trust = trust_clock(witness, {wrong + second * 1s, 1s, false});
        EXPECT_FALSE(trust.is_trusted);
        witness = trust.witness;
    }
    EXPECT_EQ(witness.trusted_at, noon);
    EXPECT_TRUE(trust_clock(witness, {noon + 8s, 1s, false}).is_trusted);
}

TEST(ClockTrust, TimeThatIsSaidToHaveRunBackwardsIsNotCounted) {
    EXPECT_EQ(trust_clock({noon, 1h}, {noon + 48h, -5h, false}).witness.watched, 1h);
}

TEST(ClockTrust, ADoubtSaysWhatIsWrongHowLongItLastsAndWhatToDo) {
    const ClockTrust trust = trust_clock({Timestamp(0s), {}}, {Timestamp(24h * 60), 30min, false});
    const std::string text = describe_doubt(trust, Timestamp(24h * 60));
    EXPECT_THAT(text, HasSubstr("1970-03-02T00:00:00Z and was 1970-01-01T00:00:00Z"));
    EXPECT_THAT(text, HasSubstr("watched for 23h30m more"));
    EXPECT_THAT(text, HasSubstr("holdfast recovery prune --yes"));
}

}  // namespace
}  // namespace holdfast::core
