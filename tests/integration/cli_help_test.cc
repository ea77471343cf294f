#include <gmock/gmock.h>
#include <wordexp.h>

#include "cli/commands.h"
#include "holdfast/version.h"
#include "integration/place.h"

namespace holdfast::integration {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class CliHelp : public SqliteProgramTest {};

TEST_F(CliHelp, TheVersionIsAnOptionToo) {
    const Ran ran = holdfast({"--version"});
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_EQ(ran.out, "holdfast " HOLDFAST_VERSION "\n");
    EXPECT_EQ(holdfast({"version"}).out, ran.out);
}

TEST_F(CliHelp, WithoutAWordTheProgramPrintsItsHelp) {
    const Ran ran = holdfast({});
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_EQ(ran.out, holdfast({"--help"}).out);
    EXPECT_THAT(ran.out, AllOf(HasSubstr("submit"), HasSubstr("doctor")));
}

TEST_F(CliHelp, EndsWithExamples) {
    EXPECT_THAT(holdfast({"submit", "--help"}).out, HasSubstr("Examples:\n  holdfast submit resize --args"));
}

/// The words of a line, as a shell splits it.
std::vector<std::string> words_of_line(const std::string& line) {
    wordexp_t split{};
    EXPECT_EQ(wordexp(line.c_str(), &split, WRDE_NOCMD | WRDE_UNDEF), 0) << line;
    std::vector<std::string> words(split.we_wordv, split.we_wordv + split.we_wordc);
    wordfree(&split);
    return words;
}

void collect_examples(const cli::Command& command, std::vector<std::string>& lines) {
    for (const std::string& line : command.examples()) lines.push_back(line);
    for (const cli::Command& child : command.commands()) collect_examples(child, lines);
}

TEST(CliExamples, AreLinesThatTheProgramTakes) {
    const auto with_program = [](const auto& act) {
        cli::Program program("holdfast", "", cli::version_line);
        for (const char* global : {"--store", "--config"}) {
            static std::string ignored;
            program.root().text(global, ignored, "TEXT", "");
        }
        static bool json = false;
        program.root().flag("--json", json, "");
        cli::add_commands(program.root(), {});
        return act(program);
    };
    std::vector<std::string> lines;
    with_program([&](cli::Program& program) { collect_examples(program.root(), lines); });
    EXPECT_THAT(lines, Not(IsEmpty()));
    for (const std::string& line : lines) {
        std::vector<std::string> words = words_of_line(line);
        ASSERT_EQ(words.front(), "holdfast") << line;
        words.erase(words.begin());
        with_program([&](cli::Program& program) { EXPECT_EQ(program.read(words).fault, "") << line; });
    }
}

// ---- zsh ------------------------------------------------------------------------------------------

class CliZshCompletion : public SqliteProgramTest {
protected:
    /// What zsh offers for the last of these words: calls the function as zsh does, with the functions that would
    /// show the offers replaced by such that print them.
    std::vector<std::string> completed(const std::vector<std::string>& words) const {
        std::string line;
        for (const std::string& word : words) line += "'" + word + "' ";
        const std::string script =
            "compdef() { }\n"
            "_files() { print -r -- FILES }\n"
            "_describe() { print -rl -- ${(P)2} }\n"
            "compadd() { if [[ $1 == -a ]]; then print -rl -- ${(P)2}; else print -rl -- \"$@\"; fi }\n"
            "eval \"$('" +
            program_path() +
            "' completion zsh)\"\n"
            "words=(" +
            line + "); CURRENT=${#words}; PREFIX=${words[CURRENT]}; words[1]='" + program_path() +
            "'\n"
            "_holdfast\n";
        RunParams params = command({"-f", "-c", script});
        return run_program("/bin/zsh", params).lines();
    }
};

TEST_F(CliZshCompletion, OffersCommandsAndOptionsWithTheirMeaning) {
    EXPECT_THAT(completed({"holdfast", ""}), Contains("submit:Submit a task; prints its id"));
    EXPECT_THAT(completed({"holdfast", "--json", "tasks", ""}),
                AllOf(Contains("list:Tasks, newest first"), Not(Contains(HasSubstr("submit:")))));
}

TEST_F(CliZshCompletion, OffersValuesFilesAndIds) {
    const std::string id = submit({"resize"});
    EXPECT_THAT(completed({"holdfast", "tasks", "force", "--state", ""}), ElementsAre("failed", "cancelled"));
    EXPECT_THAT(completed({"holdfast", "run", "-f", ""}), ElementsAre("FILES"));
    EXPECT_THAT(completed({"holdfast", "tasks", "show", ""}), ElementsAre(id));
    EXPECT_THAT(completed({"holdfast", "tasks", "show", "--"}), Contains(HasSubstr("--wide:")));
}

}  // namespace
}  // namespace holdfast::integration
