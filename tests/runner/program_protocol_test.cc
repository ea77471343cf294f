#include "runner/program_protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "runner/program_process.h"

namespace holdfast::runner {
namespace {

using testing::HasSubstr;

constexpr std::int64_t payload = 1000;

ProgramMessage accepted(std::string_view line) {
    auto message = parse_program_line(line, payload);
    if (!message) throw std::runtime_error(message.error());
    return std::move(message).value();
}

std::string complaint(std::string_view line) {
    auto message = parse_program_line(line, payload);
    return message ? "accepted" : message.error();
}

TEST(ProgramLine, HelloNamesTasksWithTheirSchemas) {
    const auto hello = std::get<ProgramHello>(accepted(
        R"({"type":"hello","protocol":1,"sdk":"s","tasks":[{"name":"a","schema":{"type":"object"}},{"name":"ü"}],)"
        R"("concurrency":5,"code":"c","later":{"x":1}})"));
    EXPECT_EQ(hello, (ProgramHello{"s", {{"a", R"({"type":"object"})"}, {"ü", ""}}, 5, "c"}));
    EXPECT_EQ(std::get<ProgramHello>(accepted(R"({"type":"hello","protocol":1,"tasks":[]})")).concurrency, 1);
}

TEST(ProgramLine, ResultKeepsEveryDigitOfItsValue) {
    const auto end = std::get<ProgramEnd>(
        accepted(R"({"value": [123456789012345678901234567890, 1.10], "run":"9007199254740993","type":"result"})"));
    EXPECT_TRUE(end.ended.completed);
    EXPECT_EQ(end.ended.lease, 9007199254740993);
    EXPECT_EQ(end.ended.result, "[123456789012345678901234567890, 1.10]");
}

TEST(ProgramLine, ResultThatIsTooLargeFailsTheRunOnly) {
    const auto end = std::get<ProgramEnd>(
        accepted(concat(R"({"type":"result","run":"1","value":")", std::string(2000, 'x'), "\"}")));
    EXPECT_EQ(end.ended.error.code, error_code::result_too_large);
}

TEST(ProgramLine, ErrorHasACodeOfItsOwnOrThatOfAnException) {
    const auto own = std::get<ProgramEnd>(accepted(
        R"({"type":"error","run":"7","code":"NO","message":"not today","data":{"a":1},"saw_stop":true,"stopped":true})"));
    EXPECT_EQ(own.ended.error, (TaskError{"NO", "not today", R"({"a":1})"}));
    EXPECT_TRUE(own.ended.saw_stop);
    EXPECT_TRUE(own.ended.threw_stop);
    const auto usual = std::get<ProgramEnd>(accepted(R"({"type":"error","run":"7","message":"m","data":null})"));
    EXPECT_EQ(usual.ended.error, (TaskError{"TASK_EXCEPTION", "m", ""}));
}

TEST(ProgramLine, SaysWhatIsWrongWithAnyOther) {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"", "not a JSON object"},
        {"nonsense", "\"nonsense\""},
        {"[1]", "not a JSON object"},
        {"{}", "without \"type\""},
        {R"({"type":5})", "without \"type\""},
        {R"({"type":"howl"})", "unknown type \"howl\""},
        {R"({"type":"hello","tasks":[]})", "without \"protocol\""},
        {R"({"type":"hello","protocol":2,"tasks":[]})", "protocol 2; this worker speaks 1"},
        {R"({"type":"hello","protocol":1,"tasks":{}})", "\"tasks\" is not a list"},
        {R"({"type":"hello","protocol":1,"tasks":[5]})", "objects with a \"name\""},
        {R"({"type":"hello","protocol":1,"tasks":[{"name":""}]})", "0 bytes"},
        {R"({"type":"hello","protocol":1,"tasks":[{"name":"a\u0007"}]})", "control character"},
        {R"({"type":"hello","protocol":1,"tasks":[{"name":"a"},{"name":"a"}]})", "\"a\" twice"},
        {R"({"type":"hello","protocol":1,"tasks":[],"concurrency":0})", "1 to 1000"},
        {R"({"type":"hello","protocol":1,"tasks":[],"concurrency":"many"})", "1 to 1000"},
        {R"({"type":"result","value":1})", "without \"run\""},
        {R"({"type":"result","run":1,"value":1})", "\"run\" is not a text"},
        {R"({"type":"result","run":"-1","value":1})", "\"run\""},
        {R"({"type":"result","run":"1x","value":1})", "\"run\""},
        {R"({"type":"result","run":"1"})", "without \"value\""},
        {R"({"type":"error","run":"1"})", "without \"message\""},
        {R"({"type":"progress","run":"1","fraction":2})", "0 to 1"},
        {R"({"type":"progress","run":"1","fraction":"half"})", "not a number"},
        {R"({"type":"checkpoint","run":"1"})", "without \"state\""},
    };
    for (const auto& [line, expected] : cases) EXPECT_THAT(complaint(line), HasSubstr(expected)) << line;
}

TEST(ProgramLine, AnyBytesAreSafe) {
    const std::string line =
        R"({"type":"hello","protocol":1,"tasks":[{"name":"a","schema":{"x":[1,"\"}"]}}],"code":"c"})";
    for (std::size_t at = 0; at < line.size(); ++at)
        for (const char byte : {'"', '{', '}', '[', '\\', '\0', '\xff', ','}) {
            std::string broken = line;
            broken[at] = byte;
            (void)complaint(broken);
            (void)complaint(line.substr(0, at));
        }
}

TEST(RunLine, IsOneLineWithTheArgumentsAsTheyWereWritten) {
    engine::RunOrder order{.lease = {.task = Uuid(), .lease = 17},
                           .name = "greet \"Ada\"",
                           .args = "{\"a\":\n  1.10,\r\n \"b\":\"\\n\"}",
                           .attempt = 2,
                           .timeout = std::chrono::seconds(5)};
    EXPECT_EQ(run_line(order),
              R"({"type":"run","run":"17","task":"00000000-0000-0000-0000-000000000000",)"
              R"("name":"greet \"Ada\"","attempt":2,"timeout_ms":5000,"args":{"a":   1.10,   "b":"\n"}})"
              "\n");
    order.checkpoint = "7";
    order.args = "";
    EXPECT_THAT(run_line(order), HasSubstr(R"("checkpoint":7,"args":null})"));
}

TEST(LineReader, CutsAStreamIntoLinesHoweverItArrives) {
    const std::string stream = "one\n\ntwo three\nfour\n";
    for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
        LineReader reader(9);
        std::vector<std::string> lines;
        for (std::size_t at = 0; at < stream.size(); at += piece) {
            reader.feed(std::string_view(stream).substr(at, piece));
            while (const auto line = reader.next()) lines.emplace_back(*line);
            EXPECT_FALSE(reader.is_over());
        }
        EXPECT_THAT(lines, testing::ElementsAre("one", "", "two three", "four"));
    }
}

TEST(LineReader, KnowsALineThatIsTooLongWithAndWithoutItsEnd) {
    for (const std::string end : {"", "\n"}) {
        LineReader reader(9);
        reader.feed("short\n" + std::string(10, 'x') + end);
        EXPECT_EQ(reader.next(), "short");
        EXPECT_EQ(reader.next(), std::nullopt);
        EXPECT_TRUE(reader.is_over());
    }
}

}  // namespace
}  // namespace holdfast::runner
