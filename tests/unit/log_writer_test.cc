#include "platform/log_writer.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>
#include <thread>

namespace holdfast::platform {
namespace {

class FixedClock : public Clock {
public:
    [[nodiscard]] Timestamp now() const override {
        return std::chrono::sys_days(std::chrono::year(2026) / 11 / 15) + std::chrono::milliseconds(1500);
    }
};
const FixedClock clock_at_dawn;

std::string text_of(const LogLine& line) {
    return text_line(line, clock_at_dawn.now());
}

TEST(LogText, IsTimeLevelSentenceAndFields) {
    EXPECT_EQ(text_of({LogLevel::Info, "connected", {{"store", "sqlite:a.db"}, {"tries", "3"}}}),
              "2026-11-15T00:00:01.500Z info connected store=sqlite:a.db tries=3");
    EXPECT_EQ(text_of({LogLevel::Warning, "the store is away", {}}),
              "2026-11-15T00:00:01.500Z warning the store is away");
}

TEST(LogText, QuotesValuesThatCouldBeMistaken) {
    EXPECT_EQ(text_of({LogLevel::Error, "x", {{"a", "b c"}, {"d", ""}, {"e", "f=g"}, {"h", "say \"hi\""}}}),
              R"(2026-11-15T00:00:01.500Z error x a="b c" d="" e="f=g" h="say \"hi\"")");
}

TEST(LogText, LeavesTheQuotesOfASentenceAlone) {
    EXPECT_EQ(text_of({LogLevel::Info, R"(task "x" \ ended: 100 % ü)", {}}),
              "2026-11-15T00:00:01.500Z info task \"x\" \\ ended: 100 % ü");
}

TEST(LogText, NobodyCanAddALineOrMoveTheCursor) {
    const std::string evil("a\nb\r\x1B[2J\x7F\0z", 11);
    const std::string line = text_of({LogLevel::Info, evil, {{"field", evil}}});
    EXPECT_EQ(line,
              "2026-11-15T00:00:01.500Z info a\\nb\\r\\u001b[2J\\u007f\\u0000z "
              "field=\"a\\nb\\r\\u001b[2J\\u007f\\u0000z\"");
    EXPECT_TRUE(std::ranges::none_of(line, [](unsigned char c) { return c < 0x20 || c == 0x7F; }));
}

TEST(LogLines, SpellOutWhatTurnsTextAroundAndTheControlsOfC1) {
    const LogLine line{LogLevel::Info,
                       "\xc2\x9b"
                       "2J \xe2\x80\xae",
                       {{"field", "\xc2\x85"}}};
    EXPECT_EQ(text_of(line), "2026-11-15T00:00:01.500Z info \\u009b2J \\u202e field=\"\\u0085\"");
    EXPECT_EQ(json_line(line, clock_at_dawn.now()),
              "{\"at\":\"2026-11-15T00:00:01.500Z\",\"level\":\"info\",\"message\":\"\\u009b2J \\u202e\","
              "\"field\":\"\\u0085\"}");
}

TEST(LogText, BytesThatAreNotTextAreReplaced) {
    EXPECT_EQ(text_of({LogLevel::Info, "a\xFF", {{"b", "\xC3"}}}),
              "2026-11-15T00:00:01.500Z info a\xEF\xBF\xBD b=\"\xEF\xBF\xBD\"");
}

TEST(LogJson, IsOneObjectWithTheFieldsAsMembers) {
    EXPECT_EQ(json_line({LogLevel::Info, "two\nlines", {{"task", "17"}, {"bad", "\xFF"}}}, clock_at_dawn.now()),
              "{\"at\":\"2026-11-15T00:00:01.500Z\",\"level\":\"info\",\"message\":\"two\\nlines\",\"task\":\"17\","
              "\"bad\":\"\xEF\xBF\xBD\"}");
}

TEST(LogJson, AFieldDoesNotReplaceWhatEveryLineHas) {
    EXPECT_EQ(json_line({LogLevel::Info, "it", {{"message", "other"}}}, clock_at_dawn.now()),
              R"({"at":"2026-11-15T00:00:01.500Z","level":"info","message":"it","message_":"other"})");
}

TEST(LogWriter, LeavesOutWhatIsLessImportantThanAskedFor) {
    std::ostringstream out;
    LogWriter log(out, LogFormat::Text, LogLevel::Warning, clock_at_dawn);
    for (const auto level : {LogLevel::Debug, LogLevel::Info, LogLevel::Warning, LogLevel::Error})
        log.write({level, "x", {}});
    EXPECT_EQ(out.str(), "2026-11-15T00:00:01.500Z warning x\n2026-11-15T00:00:01.500Z error x\n");
}

TEST(LogWriter, WritesWholeLinesFromEveryThread) {
    std::ostringstream out;
    LogWriter log(out, LogFormat::Json, LogLevel::Debug, clock_at_dawn);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int line = 0; line < 250; ++line) log.write({LogLevel::Info, std::string(100, 'x'), {}});
        });
    for (auto& thread : threads) thread.join();
    std::istringstream lines(out.str());
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count)
        ASSERT_EQ(line, json_line({LogLevel::Info, std::string(100, 'x'), {}}, clock_at_dawn.now()));
    EXPECT_EQ(count, 1000);
}

TEST(LogWriter, GoesOnAfterAStreamHasFailed) {
    std::ostringstream out;
    LogWriter log(out, LogFormat::Text, LogLevel::Info, clock_at_dawn);
    out.setstate(std::ios::badbit);
    log.write({LogLevel::Info, "lost", {}});
    log.write({LogLevel::Info, "kept", {}});
    EXPECT_THAT(out.str(), testing::EndsWith("info kept\n"));
}

}  // namespace
}  // namespace holdfast::platform
