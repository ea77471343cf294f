#include "proof/crew/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "platform/files.h"
#include "tests/chaos/stories.h"

namespace holdfast::crew {
namespace {

using testing::ElementsAre;

LedgerLine line(Mark mark, store::Lease lease) {
    return {.mark = mark,
            .task = chaos::Story::id(1),
            .lease = lease,
            .attempt = 2,
            .worker = chaos::Story::id(2),
            .pid = 4711,
            .at = chaos::Story::at(5)};
}

TEST(Ledger, ReadsBackWhatWasAppended) {
    const platform::PrivateFolder folder("holdfast-chaos-test");
    const std::string path = folder.path() + "/ledger";
    const Ledger first(path), second(path);
    first.append(line(Mark::Begin, 1));
    second.append(line(Mark::Overlap, 2));
    first.append(line(Mark::Done, 1));
    second.append(line(Mark::Failed, 2));
    const LedgerLines read = first.read();
    EXPECT_EQ(read.unreadable, 0U);
    EXPECT_THAT(read.lines, ElementsAre(line(Mark::Begin, 1), line(Mark::Overlap, 2), line(Mark::Done, 1),
                                        line(Mark::Failed, 2)));
}

TEST(Ledger, CountsLinesThatCannotBeRead) {
    const std::string whole = to_text(line(Mark::Begin, 1));
    for (const std::string& bad : {concat(whole.substr(0, 10), whole.substr(1)), concat("\nstart", whole.substr(6)),
                                   concat(whole, " more"), std::string("\nBegin"), concat(whole, whole.substr(1))}) {
        const LedgerLines read = parse_ledger(concat(whole, bad, whole));
        EXPECT_EQ(read.lines.size(), 2U) << bad;
        EXPECT_EQ(read.unreadable, 1U) << bad;
        EXPECT_EQ(read.torn, 0U) << bad;
    }
}

TEST(Ledger, IsReadableThoughWritersWereKilledWithinTheirWrites) {
    const std::string whole = to_text(line(Mark::Failed, 123456));
    for (std::size_t length = 2; length < whole.size(); ++length) {
        for (const std::string& next : {std::string(), whole}) {
            const LedgerLines read = parse_ledger(concat(whole, whole.substr(0, length), next));
            EXPECT_EQ(read.lines.size(), next.empty() ? 1U : 2U) << length;
            EXPECT_EQ(read.torn, 1U) << length;
            EXPECT_EQ(read.unreadable, 0U) << length;
        }
    }
}

}  // namespace
}  // namespace holdfast::crew
