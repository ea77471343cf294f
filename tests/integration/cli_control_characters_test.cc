#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "cli/terminal/io.h"
#include "integration/place.h"

namespace holdfast::integration {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

/// Sets the title, clears the screen, writes to the clipboard, forges a row, and turns text around.
const std::string evil =
    "a\x1b]0;owned\x07\x1b[2J\x1b]52;c;ZXZpbA==\x07\nforged  COMPLETED\t\x7f\xc2\x9b"
    "31m\xe2\x80\xae";

/// What a terminal would act upon, but for tabs and its own line ends.
bool has_controls(const std::string& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte == '\n' || byte == '\t' || (byte == '\r' && text.substr(i + 1, 1) == "\n")) continue;
        if (byte < 0x20 || byte == 0x7f) return true;
    }
    return text.find("\xc2\x9b") != std::string::npos || text.find("\xe2\x80\xae") != std::string::npos;
}

class CliControlCharacters : public AnyStoreProgramTest {
protected:
    /// A task that has printed and reported them, and failed with them.
    std::string hostile_task() {
        const std::string id = submit({"resize", "--max-attempts", "1"});
        StandInWorker worker(store(), {"task:resize"});
        const auto task = worker.take();
        worker.print(task, 0, "stdout", evil + "\n");
        worker.fail(task, {"BAD", evil, ""});
        return id;
    }
    Ran on_terminal(std::vector<std::string> arguments) const {
        RunParams params = command(std::move(arguments));
        params.environment["TERM"] = "xterm-256color";
        params.environment["NO_COLOR"] = "1";
        return run_on_terminal(params);
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, CliControlCharacters, testing::ValuesIn(all_kinds()), name_of);

TEST_P(CliControlCharacters, OfATaskAreSpelledOutOnATerminalAndInAPipe) {
    const std::string id = hostile_task();
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"tasks", "list"}, {"tasks", "show", id}, {"tasks", "logs", id}, {"tasks", "wait", id}}) {
        const Ran shown = on_terminal(words);
        const Ran piped = holdfast(words);
        EXPECT_FALSE(has_controls(shown.out)) << words[1] << ": " << shown.out;
        EXPECT_FALSE(has_controls(piped.out + piped.err)) << words[1];
    }
}

TEST_P(CliControlCharacters, OfAnErrorDoNotForgeALine) {
    const std::string id = hostile_task();
    EXPECT_THAT(holdfast({"tasks", "show", id}).out, Not(ContainsRegex("\nforged")));
    const Ran waited = holdfast({"tasks", "wait", id});
    EXPECT_THAT(waited.err, HasSubstr("BAD: a\\x1b]0;owned\\x07"));
    EXPECT_THAT(waited.err, HasSubstr("\\x0aforged  COMPLETED\\x09\\u007f\\u009b31m\\u202e;"));
    EXPECT_EQ(waited.lines().size() + static_cast<std::size_t>(std::ranges::count(waited.err, '\n')), 1U);
}

TEST_P(CliControlCharacters, OfALogKeepItsLinesAndComeWithRawAsTheyWere) {
    const std::string id = hostile_task();
    EXPECT_EQ(holdfast({"tasks", "logs", id}).out,
              "a\\x1b]0;owned\\x07\\x1b[2J\\x1b]52;c;ZXZpbA==\\x07\nforged  COMPLETED\t\\u007f\\u009b31m\\u202e\n");
    EXPECT_EQ(holdfast({"tasks", "logs", id, "--raw"}).out, evil + "\n");
    EXPECT_EQ(holdfast({"tasks", "logs", id, "--raw", "--json"}).exit_code, 2);
}

TEST_P(CliControlCharacters, OfALogThatCannotBeWrittenRawIsAFailure) {
    RunParams params = command({"tasks", "logs", hostile_task(), "--raw"});
    params.output_file = "/dev/full";
    const Ran ran = run_program(params);
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_THAT(ran.err, HasSubstr("cannot write to the standard output"));
}

TEST_P(CliControlCharacters, InJsonAreEscapedAndMeanTheSame) {
    const std::string id = hostile_task();
    const Ran logs = holdfast({"tasks", "logs", id, "--json"});
    EXPECT_FALSE(has_controls(logs.out)) << logs.out;
    EXPECT_EQ(logs.json_lines().at(0)["text"], evil + "\n");
    const Ran shown = holdfast({"tasks", "show", id, "--json"});
    EXPECT_FALSE(has_controls(shown.out)) << shown.out;
    EXPECT_EQ(shown.json()["task"]["error"]["message"], evil);
}

TEST_P(CliControlCharacters, OfAResultAreEscapedAsJson) {
    const std::string id = submit({"resize"});
    StandInWorker worker(store(), {"task:resize"});
    worker.complete(worker.take(), "\"\x7f\xc2\x9b\xe2\x80\xae\"");
    EXPECT_EQ(holdfast({"tasks", "wait", id}).out, "\"\\u007f\\u009b\\u202e\"\n");
}

TEST_P(CliControlCharacters, OfAJobAreSpelledOutInItsTreeAndItsLogs) {
    (void)folder.write("flow.yaml", "steps: { a: { task: resize } }\n");
    const std::string job = holdfast({"run", "-f", "flow.yaml"}).lines().at(0);
    StandInWorker worker(store(), {"task:resize"});
    const auto task = worker.take();
    worker.print(task, 0, "stdout", evil + "\n");
    worker.fail(task, {"BAD", evil, ""});
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"jobs", "list"}, {"jobs", "show", job}, {"jobs", "logs", job}, {"jobs", "wait", job}}) {
        const Ran shown = on_terminal(words);
        EXPECT_FALSE(has_controls(shown.out)) << words[1] << ": " << shown.out;
        EXPECT_TRUE(words[1] == "logs" || shown.out.find("\nforged") == std::string::npos) << words[1];
    }
    EXPECT_THAT(holdfast({"jobs", "logs", job}).out, HasSubstr("a | a\\x1b]0;owned"));
    EXPECT_THAT(holdfast({"jobs", "logs", job, "--raw"}).out, HasSubstr("a | a\x1b]0;owned"));
    EXPECT_EQ(holdfast({"jobs", "logs", job, "--step", "a", "--raw"}).out, evil + "\n");
}

TEST(VisibleStream, PassesOnOwnEscapesAndNoOthers) {
    std::ostringstream terminal;
    cli::VisibleStream out(terminal);
    out << cli::own_escape << "[1m"
        << "strong\033[0m" << cli::own_escape << "[0m\n"
        << std::flush;
    EXPECT_EQ(terminal.str(), "\033[1mstrong\\x1b[0m\033[0m\n");
}

TEST(VisibleStream, JoinsACharacterThatIsWrittenInPieces) {
    std::ostringstream terminal;
    {
        cli::VisibleStream out(terminal);
        for (const char byte : std::string("€\xe2\x80\xaeü")) out << byte << std::flush;
        EXPECT_EQ(terminal.str(), "€\\u202eü");
        out << "\xe2\x82";
    }
    EXPECT_EQ(terminal.str(), "€\\u202eü\\xe2\\x82") << "what never became whole is not lost";
}

TEST(VisibleStream, FailsWhenWhatItWritesToDoes) {
    std::ofstream nowhere("/dev/full");
    cli::VisibleStream out(nowhere);
    out << "text" << std::flush;
    EXPECT_FALSE(out);
}

}  // namespace
}  // namespace holdfast::integration
