#include <gmock/gmock.h>

#include "base/text.h"
#include "cli/terminal/table.h"
#include "integration/place.h"

namespace holdfast::integration {
namespace {

using namespace std::chrono_literals;
using cli::short_ids;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Le;
using testing::Not;
using testing::SizeIs;

// ---- Ids ------------------------------------------------------------------------------------------

TEST(ShortIds, GoOnUntilTheyDiffer) {
    EXPECT_THAT(short_ids({"5c0de000-0000-4000-8000-000000000001", "5c0de001-0000-4000-8000-000000000001"}),
                ElementsAre("5c0de000", "5c0de001"));
    EXPECT_THAT(short_ids({"5c0de000-0000-4000-8000-000000000001", "5c0de000-0100-4000-8000-000000000001"}),
                ElementsAre("5c0de000-00", "5c0de000-01"));
}

TEST(ShortIds, OfTheSameMomentGoOnBehindIt) {
    EXPECT_THAT(short_ids({"01998a2b-7c1d-7abc-8000-000000000001"}), ElementsAre("01998a2b-7c1d"));
    EXPECT_THAT(short_ids({"01998a2b-7c1d-7abc-8000-000000000001", "01998a2b-7c1d-7abd-8000-000000000001"}),
                ElementsAre("01998a2b-7c1d-7abc", "01998a2b-7c1d-7abd"));
}

TEST(ShortIds, NeverEndWithADashAndMayBeTheSameTwice) {
    EXPECT_THAT(short_ids({"5c0de000-0000-4000-8000-000000000001", "5c0de000-1000-4000-8000-000000000001"}),
                ElementsAre("5c0de000-0", "5c0de000-1"));
    EXPECT_THAT(short_ids({"5c0de000-0000-4000-8000-000000000001", "5c0de000-0000-4000-8000-000000000001"}),
                ElementsAre("5c0de000", "5c0de000"));
}

TEST(Distances, AreToldInTheirLargestUnit) {
    const Timestamp now = parse_timestamp("2030-01-31T08:30:00Z").value();
    EXPECT_EQ(cli::distance_text(now - 59s, now), "59s ago");
    EXPECT_EQ(cli::distance_text(now - 61min, now), "1h ago");
    EXPECT_EQ(cli::distance_text(now - 49h, now), "2d ago");
    EXPECT_EQ(cli::distance_text(now + 90s, now), "in 1m");
}

// ---- At a terminal --------------------------------------------------------------------------------

class CliTables : public SqliteProgramTest {
protected:
    static constexpr std::size_t terminal_columns = 80;
    std::vector<std::string> on_terminal(std::vector<std::string> arguments) const {
        RunParams params = command(std::move(arguments));
        params.environment["TERM"] = "xterm-256color";
        params.environment["NO_COLOR"] = "1";
        std::vector<std::string> lines = run_on_terminal(params).lines();
        for (std::string& line : lines) line = std::string(trimmed(line));
        return lines;
    }
    const std::string long_name = std::string(60, 'n');
};

TEST_F(CliTables, FitATerminalOfEightyColumns) {
    (void)submit({long_name, "--queue", std::string(60, 'q')});
    (void)submit({"resize"});
    const auto lines = on_terminal({"tasks", "list"});
    ASSERT_THAT(lines, SizeIs(3));
    for (const std::string& line : lines) EXPECT_LE(cli::columns_of(line), terminal_columns) << line;
    EXPECT_THAT(lines[0], AllOf(HasSubstr("ID"), HasSubstr("SUBMITTED"), Not(HasSubstr("PRIO"))));
    EXPECT_THAT(lines[2], AllOf(HasSubstr("nnnnnnn.."), HasSubstr("s ago")));
}

TEST_F(CliTables, ShortIdsAreTakenByOtherCommands) {
    const std::string first = submit({"resize"});
    const std::string second = submit({"resize"});
    const auto lines = on_terminal({"tasks", "list"});
    ASSERT_THAT(lines, SizeIs(3));
    const std::string brief = lines[1].substr(0, lines[1].find(' '));
    EXPECT_LT(brief.size(), second.size());
    EXPECT_EQ(holdfast({"tasks", "show", brief, "--json"}).json().at("task").at("id"), second);
}

TEST_F(CliTables, AreWholeOnRequestAndInAPipe) {
    const std::string id = submit({long_name});
    EXPECT_THAT(on_terminal({"tasks", "list", "--wide"})[1],
                AllOf(HasSubstr(id), HasSubstr(long_name), HasSubstr(" ago")));
    EXPECT_THAT(holdfast({"tasks", "list"}).lines()[1], AllOf(HasSubstr(id), HasSubstr(long_name), HasSubstr("Z")));
    EXPECT_THAT(on_terminal({"tasks", "list", "--utc"})[1],
                AllOf(HasSubstr("T"), HasSubstr("Z"), Not(HasSubstr(" ago"))));
}

TEST_F(CliTables, OfJobsAndWorkersFitToo) {
    (void)folder.write("flow.yaml", "steps: { a: { task: a } }\n");
    ASSERT_EQ(holdfast({"run", "-f", "flow.yaml"}).exit_code, 0);
    StandInWorker worker(store(), {std::string(50, 't')});
    for (const auto& lines : {on_terminal({"jobs", "list"}), on_terminal({"workers", "list"})}) {
        ASSERT_THAT(lines, SizeIs(2));
        for (const std::string& line : lines) EXPECT_LE(cli::columns_of(line), terminal_columns) << line;
    }
}

}  // namespace
}  // namespace holdfast::integration
