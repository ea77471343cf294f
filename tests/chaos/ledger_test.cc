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
    for (const std::string& bad :
         {std::string("begin\n"), concat(whole.substr(0, whole.size() - 30), "\n"), concat("start", whole.substr(5)),
          concat(whole.substr(0, whole.size() - 1), " more\n")}) {
        const LedgerLines read = parse_ledger(concat(whole, bad, whole));
        EXPECT_EQ(read.lines.size(), 2U) << bad;
        EXPECT_EQ(read.unreadable, 1U) << bad;
    }
}

TEST(Ledger, TakesALastLineWithoutItsNewlineForTorn) {
    const std::string whole = to_text(line(Mark::Begin, 1));
    const LedgerLines read = parse_ledger(whole + whole.substr(0, whole.size() - 1));
    EXPECT_EQ(read.lines.size(), 1U);
    EXPECT_EQ(read.unreadable, 1U);
}

}  // namespace
}  // namespace holdfast::crew
