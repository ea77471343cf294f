#include <gmock/gmock.h>

#include <filesystem>

#include "integration/place.h"

namespace holdfast::integration {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class CliCompletion : public SqliteProgramTest {
protected:
    // What bash offers after this line: loads the script as a user does, and asks for the completion of its last
    // word.
    std::vector<std::string> completed(const std::string& line) const {
        const std::string script =
            "PATH=" + std::filesystem::path(program_path()).parent_path().string() +
            ":$PATH; eval \"$(holdfast completion bash)\"; line='" + line +
            "'; COMP_WORDS=($line); [[ $line == *' ' ]] && COMP_WORDS+=(''); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); "
            "$(complete -p holdfast | sed 's/.*-F \\([^ ]*\\).*/\\1/'); printf '%s\\n' \"${COMPREPLY[@]}\"";
        RunParams params = command({"-c", script});
        return run_program("/bin/bash", params).lines();
    }
};

TEST_F(CliCompletion, OffersTheCommandsThatBeginSo) {
    EXPECT_THAT(completed("holdfast su"), ElementsAre("submit"));
    EXPECT_THAT(completed("holdfast "), AllOf(Contains("tasks"), Contains("doctor"), Contains("--store")));
}

TEST_F(CliCompletion, OffersTheWordsAndOptionsOfACommand) {
    EXPECT_THAT(completed("holdfast tasks "), AllOf(Contains("list"), Contains("force"), Not(Contains("submit"))));
    EXPECT_THAT(completed("holdfast submit resize --retry-b"), ElementsAre("--retry-base"));
    EXPECT_THAT(completed("holdfast --json tasks li"), ElementsAre("list"));
}

TEST_F(CliCompletion, OffersTheValuesOfOptions) {
    EXPECT_THAT(completed("holdfast tasks list --state co"), ElementsAre("completed"));
    EXPECT_THAT(completed("holdfast tasks force --state "), ElementsAre("failed", "cancelled"));
    EXPECT_THAT(completed("holdfast submit x --on-crash r"), ElementsAre("requeue"));
}

TEST_F(CliCompletion, OffersScopesAndTheTokensThatCanBeRevoked) {
    EXPECT_THAT(completed("holdfast tokens create ann --scope op"), ElementsAre("operate"));
    ASSERT_EQ(holdfast({"tokens", "create", "ann", "--scope", "read"}).exit_code, 0);
    ASSERT_EQ(holdfast({"tokens", "create", "bob", "--scope", "read"}).exit_code, 0);
    ASSERT_EQ(holdfast({"tokens", "revoke", "bob"}).exit_code, 0);
    EXPECT_THAT(completed("holdfast tokens revoke "), ElementsAre("ann"));
}

TEST_F(CliCompletion, OffersTheIdsOfTasks) {
    const std::string id = submit({"resize"});
    EXPECT_THAT(completed("holdfast tasks show "), ElementsAre(id));
}

TEST_F(CliCompletion, OffersTheIdsOfJobsAndTheirStates) {
    (void)folder.write("flow.yaml", "steps: { a: { task: a } }\n");
    const std::string id = holdfast({"run", "-f", "flow.yaml"}).lines().at(0);
    EXPECT_THAT(completed("holdfast jobs show "), ElementsAre(id));
    EXPECT_THAT(completed("holdfast jobs list --state pa"), ElementsAre("paused"));
    EXPECT_THAT(completed("holdfast run -f fl"), ElementsAre("flow.yaml"));
}

class CliOnATerminal : public SqliteProgramTest {
protected:
    Ran on_terminal(std::vector<std::string> arguments, std::map<std::string, std::string> more = {}) const {
        RunParams params = command(std::move(arguments));
        params.environment["TERM"] = "xterm-256color";
        params.environment.merge(more);
        return run_on_terminal(params);
    }
};

TEST_F(CliOnATerminal, StatesHaveColours) {
    const std::string id = submit({"resize"});
    ASSERT_EQ(holdfast({"tasks", "cancel", id}).exit_code, 0);
    EXPECT_THAT(on_terminal({"tasks", "list"}).out, HasSubstr("\033[2mCANCELLED\033[0m"));
    EXPECT_THAT(on_terminal({"submit", "resize"}).out, HasSubstr("submitted \033[1m"));
}

TEST_F(CliOnATerminal, NoColorIsRespected) {
    (void)submit({"resize"});
    EXPECT_THAT(on_terminal({"tasks", "list"}, {{"NO_COLOR", "1"}}).out, Not(HasSubstr("\033")));
}

TEST_F(CliOnATerminal, JsonIsTheSameAsInAPipe) {
    (void)submit({"resize"});
    EXPECT_THAT(on_terminal({"tasks", "list", "--json"}).out, Not(HasSubstr("\033")));
}

TEST_F(CliOnATerminal, AnEmptyListSaysSo) {
    ASSERT_EQ(holdfast({"migrate"}).exit_code, 0);
    EXPECT_EQ(on_terminal({"tasks", "list"}).out, "no tasks\r\n");
}

}  // namespace
}  // namespace holdfast::integration
