#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "store/admission.h"

namespace holdfast::store {
namespace {

using namespace std::string_literals;
using core::LeaseEnd;
using ::testing::HasSubstr;

Limits small() {
    Limits limits;
    limits.max_payload_bytes = 100;
    return limits;
}

FinishedRun completed(std::string result) {
    FinishedRun run;
    run.result = std::move(result);
    return run;
}

FinishedRun failed(TaskError error) {
    FinishedRun run;
    run.end = LeaseEnd::Failed;
    run.error = std::move(error);
    return run;
}

TEST(Storable, AResultWithinTheLimitIsLeftAlone) {
    const std::string result = "\"" + std::string(98, 'x') + "\"";
    const FinishedRun run = storable(completed(result), small());
    EXPECT_EQ(run.end, LeaseEnd::Completed);
    EXPECT_EQ(run.result, result);
}

TEST(Storable, NoResultIsNull) {
    EXPECT_EQ(storable(completed(""), small()).result, "null");
}

TEST(Storable, AResultOverTheLimitFailsTheTaskInsteadOfBeingCut) {
    const FinishedRun run = storable(completed("\"" + std::string(99, 'x') + "\""), small());
    EXPECT_EQ(run.end, LeaseEnd::Failed);
    EXPECT_EQ(run.error.code, "RESULT_TOO_LARGE");
    EXPECT_THAT(run.error.message, HasSubstr("101 bytes; at most 100"));
    EXPECT_EQ(run.result, "");
}

TEST(Storable, AResultThatIsNoTextOrNoJsonFailsTheTask) {
    for (const std::string& result : {"{"s, "\"a\0b\""s, "\"\xFF\""s, "\"\xED\xA0\x80\""s}) {
        const FinishedRun run = storable(completed(result), small());
        EXPECT_EQ(run.end, LeaseEnd::Failed);
        EXPECT_EQ(run.error.code, "RESULT_NOT_STORABLE");
    }
}

TEST(Storable, AnErrorIsMadeReadableRatherThanRefused) {
    const FinishedRun run = storable(failed({"CO\0DE"s, "bad \xFF byte", "{}"}), small());
    EXPECT_EQ(run.error.code,
              "CO\xEF\xBF\xBD"
              "DE");
    EXPECT_EQ(run.error.message, "bad \xEF\xBF\xBD byte");
    EXPECT_EQ(run.error.data, "{}");
}

TEST(Storable, ErrorDataThatCannotBeKeptSaysSo) {
    const auto data = [](std::string text) {
        return storable(failed({"C", "m", std::move(text)}), small()).error.data;
    };
    EXPECT_EQ(data(""), "");
    EXPECT_THAT(data("\"" + std::string(99, 'x') + "\""), HasSubstr("error data of 101 bytes"));
    EXPECT_THAT(data("not json"), HasSubstr("not json"));
    for (const std::string& text : {"not json"s, "\xFF"s, "\0"s}) {
        EXPECT_TRUE(nlohmann::json::accept(data(text)));
        EXPECT_EQ(text_defect(data(text)), std::nullopt);
    }
}

TEST(Storable, ErrorDataThatIsNestedTooDeepIsKeptAsText) {
    const auto data = [](std::size_t depth) {
        const auto brackets = std::string(depth, '[') + std::string(depth, ']');
        return nlohmann::json::parse(storable(failed({"C", "m", brackets}), {}).error.data);
    };
    EXPECT_TRUE(data(max_json_nesting).is_array());
    EXPECT_THAT(data(max_json_nesting + 1).at("unreadable"), HasSubstr("[[["));
}

TEST(ReadableText, LeavesStorableTextAlone) {
    EXPECT_EQ(readable_text("Grüße", 100), "Grüße");
    EXPECT_EQ(readable_text("", 100), "");
}

TEST(ReadableText, IsCutBetweenCharactersWithAMarker) {
    EXPECT_EQ(readable_text(std::string(101, 'x'), 100), std::string(94, 'x') + " [cut]");
    EXPECT_EQ(readable_text("ääääääääää", 15), "ääää [cut]");
}

RC_GTEST_PROP(ReadableText, IsStorableAndWithinItsLimitWhateverComesIn, (const std::string& text)) {
    const std::string readable = readable_text(text, 40);
    RC_ASSERT(!text_defect(readable));
    RC_ASSERT(readable.size() <= 40U);
}

}  // namespace
}  // namespace holdfast::store
