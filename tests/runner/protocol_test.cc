#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/utf8.h"
#include "platform/files.h"
#include "runner/messages.h"
#include "runner/printout.h"
#include "runner/run_socket.h"
#include "runner/texts.h"

namespace holdfast::runner {
namespace {

using std::chrono::seconds;

Run sample_run() {
    Run run;
    run.order.lease = {*Uuid::parse("0193e9a0-1111-7000-8000-00000000abcd"), 42};
    run.order.name = "resize";
    run.order.args = R"({"a":1})";
    run.order.spec = R"({"script":"true"})";
    run.order.attempt = 3;
    run.order.timeout = seconds(30);
    run.order.checkpoint = "7";
    run.order.fenced = true;
    run.fence = seconds(99);
    return run;
}

std::vector<Message> samples() {
    return {
        Setup{"worker", {10, 512, 99, {{"podman", "--x"}, {"--pull", "never"}}, {"PASSED"}, 20, 30, {"env:X"}}, {}},
        Setup{"worker", {}, platform::Identity{5, 6, {7, 8}, "/home", true}},
        sample_run(),
        engine::RunnerReady{.pid = 4711},
        engine::RunEnded{
            .lease = 7, .completed = true, .threw_stop = true, .result = "null", .error = {"CODE", "message", "{}"}},
        Stop{7, engine::StopCause::Fence, seconds(5)},
        SetFence{seconds(12)},
        Credit{1024},
        engine::RunnerBeat{},
        engine::RunProgress{.lease = 7, .fraction = 0.5, .text = "half", .checkpoint = "{}"},
        engine::RunProgress{.lease = 7},
        engine::RunLog{.lease = 7, .stream = "stdout", .text = "text\n", .at = Timestamp(seconds(1))},
        SpawnRunner{3, "worker", platform::Identity{5, 6, {7, 8}, "/home", true}},
        KillRunner{3},
        HoldOpen{},
        GuardRunner{3, true},
        RunnerDied{3, 139, "killed: memory limit 512 MiB", true},
        Setup{"worker", {}, {}, "python3 -m holdfast shop:app"},
        Credit{1024, 7},
        Retire{},
        ProgramReady{4711, {"sdk", {{"a", "{}"}, {"b", ""}}, 50, "code"}},
        ProgramLeaves{"its code has changed"},
        ProgramDied{"killed by SIGKILL"},
        ProgramSaid{"text"}};
}

TEST(Protocol, EveryMessageComesBackAsItWasSent) {
    for (const Message& message : samples()) {
        const std::string packet = to_packet(message);
        const auto parsed = parse_packet(packet);
        ASSERT_TRUE(parsed.has_value()) << message.index();
        EXPECT_EQ(parsed->index(), message.index());
        EXPECT_EQ(to_packet(*parsed), packet);
    }
}

TEST(Protocol, FieldsOfARunComeBackOneByOne) {
    const auto parsed = std::get<runner::Run>(*parse_packet(to_packet(sample_run())));
    EXPECT_EQ(parsed.order.lease, sample_run().order.lease);
    EXPECT_EQ(parsed.order.name, "resize");
    EXPECT_EQ(parsed.order.args, R"({"a":1})");
    EXPECT_EQ(parsed.order.spec, R"({"script":"true"})");
    EXPECT_EQ(parsed.order.attempt, 3);
    EXPECT_EQ(parsed.order.timeout, seconds(30));
    EXPECT_EQ(parsed.order.checkpoint, "7");
    EXPECT_TRUE(parsed.order.fenced);
    EXPECT_EQ(parsed.fence, seconds(99));
}

TEST(Protocol, MessageThatIsCutShortOrTooLongIsRefused) {
    for (const Message& message : samples()) {
        const std::string packet = to_packet(message);
        for (std::size_t size = 0; size < packet.size(); ++size)
            EXPECT_FALSE(parse_packet(packet.substr(0, size)).has_value()) << message.index() << " " << size;
        EXPECT_FALSE(parse_packet(packet + '\0').has_value()) << message.index();
    }
}

TEST(Protocol, UnknownTypesAndChoicesAreRefused) {
    EXPECT_FALSE(parse_packet(std::string_view("\0", 1)).has_value());
    EXPECT_FALSE(parse_packet("\x7f").has_value());
    std::string stop = to_packet(Stop{7, engine::StopCause::LeaseLost, seconds(5)});
    ASSERT_TRUE(parse_packet(stop).has_value());
    stop[9] = 5;  // beyond the last cause
    EXPECT_FALSE(parse_packet(stop).has_value());
}

TEST(Protocol, StreamIsCutIntoMessagesWhereverItsBytesAreSplit) {
    std::string stream;
    for (const Message& message : samples()) append_frame(stream, message);
    for (const std::size_t step : {1U, 3U, 7U, 1000U}) {
        FrameReader reader;
        std::size_t count = 0;
        for (std::size_t at = 0; at < stream.size(); at += step) {
            reader.feed(std::string_view(stream).substr(at, step));
            for (; auto message = reader.next(); ++count) EXPECT_EQ(to_packet(*message), to_packet(samples()[count]));
        }
        EXPECT_EQ(count, samples().size());
        EXPECT_FALSE(reader.is_broken());
    }
}

TEST(Protocol, LengthsAreNotTrusted) {
    for (const std::string_view bytes : {std::string_view("\xff\xff\xff\xff", 4), std::string_view("\0\0\0\0", 4),
                                         std::string_view("\1\0\0\0\x63", 5)}) {
        FrameReader reader;
        reader.feed(bytes);
        EXPECT_FALSE(reader.next().has_value());
        EXPECT_TRUE(reader.is_broken());
    }
}

TEST(Printout, BeginsEachRunWithItsWholeWindow) {
    Printout printout{Descriptor(), Descriptor()};
    printout.begin(1);
    printout.add_line(std::string(Printout::window, 'x'));
    EXPECT_FALSE(printout.take(Timestamp(seconds(1)), true).empty());
    EXPECT_FALSE(printout.has_room());
    printout.begin(2);
    EXPECT_TRUE(printout.has_room());
}

TEST(MountsInAFolder, AreFoundDeepestFirstAndUnescaped) {
    std::istringstream mountinfo(
        "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
        "30 21 0:5 / /tmp/run/a rw - tmpfs tmpfs rw\n"
        "31 30 0:6 / /tmp/run/a/with\\040blank\\134 rw shared:7 - tmpfs tmpfs rw\n"
        "32 21 0:7 / /tmp/running rw - tmpfs tmpfs rw\n");
    EXPECT_THAT(platform::mounts_in("/tmp/run", mountinfo),
                ::testing::ElementsAre("/tmp/run/a/with blank\\", "/tmp/run/a"));
}

TEST(ReadableText, KeepsWhatIsValidAndEscapesTheRest) {
    EXPECT_EQ(readable_text("plain ü €"), "plain ü €");
    EXPECT_EQ(readable_text("caf\xe9!"), "caf\\xE9!");
    EXPECT_EQ(readable_text(std::string_view("a\0b", 3)), "a\\x00b");
    EXPECT_EQ(readable_text("\xed\xa0\x80"), "\\xED\\xA0\\x80") << "a surrogate";
    EXPECT_EQ(readable_text("\xe2\x82"), "\\xE2\\x82");
}

TEST(ReadableText, SeesWhereACharacterIsNotWholeYet) {
    EXPECT_EQ(unfinished_character("abc"), 0U);
    EXPECT_EQ(unfinished_character("é"), 0U);
    EXPECT_EQ(unfinished_character("a\xc3"), 1U);
    EXPECT_EQ(unfinished_character("a\xe2\x82"), 2U);
    EXPECT_EQ(unfinished_character("a\xf0\x9f\x98"), 3U);
    EXPECT_EQ(unfinished_character("\x82\x82\x82\x82"), 0U);
    EXPECT_EQ(unfinished_character(""), 0U);
}

TEST(RunUpdateLines, ComeBackAsTheyWereSent) {
    const auto update = parse_update(update_line({0.5, "half", R"({"page":3})"}), 100);
    ASSERT_TRUE(update.ok());
    EXPECT_EQ(update->fraction, 0.5);
    EXPECT_EQ(update->text, "half");
    EXPECT_EQ(update->checkpoint, R"({"page":3})");
}

TEST(RunUpdateLines, AreRefusedWithWhatIsWrong) {
    EXPECT_EQ(parse_update("[]", 100).error(), "expected a JSON object in a line");
    EXPECT_EQ(parse_update("{}", 100).error(), "expected progress or checkpoint");
    EXPECT_EQ(parse_update(R"({"progress":"x"})", 100).error(),
              "unexpected \"progress\"; allowed: progress (a number), text (a text), checkpoint");
    EXPECT_EQ(parse_update(R"({"progress":-1})", 100).error(), "progress must be a fraction from 0 to 1, not -1");
    EXPECT_EQ(parse_update(R"({"checkpoint":"12345"})", 6).error(), "the checkpoint has 7 bytes; allowed are 6");
}

}  // namespace
}  // namespace holdfast::runner
