#include "store/encoding.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace holdfast::store {
namespace {

using namespace std::chrono_literals;

const Uuid some_task = Uuid::parse("0192f3a4-5b6c-7d8e-9fab-0123456789cd").value();

TEST(Encoding, StringsAreAJsonList) {
    EXPECT_EQ(encode_strings({}), "[]");
    EXPECT_EQ(encode_strings({"a", "b\"c"}), R"(["a","b\"c"])");
    EXPECT_EQ(decode_strings(R"(["a", "b"])"), (std::vector<std::string>{"a", "b"}));
}

RC_GTEST_PROP(Encoding, StringsAreReadBack, ()) {
    const auto strings = *rc::gen::container<std::vector<std::string>>(
        rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127)));
    RC_ASSERT(decode_strings(encode_strings(strings)) == strings);
}

TEST(Encoding, HeldLeasesAreWrittenAsDocumentedAndReadBack) {
    const std::vector<HeldLease> held{{{some_task, 7}, true, 4711, 12us}, {{some_task, 8}, false, 0, 0us}};
    EXPECT_EQ(encode_held({held[0]}),
              R"([{"age_us":12,"lease":7,"pid":4711,"running":true,"task":"0192f3a4-5b6c-7d8e-9fab-0123456789cd"}])");
    EXPECT_EQ(decode_held(encode_held(held)), held);
    EXPECT_EQ(decode_held("[]"), std::vector<HeldLease>{});
}

TEST(Encoding, AColumnThatContradictsTheSchemaIsUnusableAndNeverCrashes) {
    for (const char* json : {"", "{}", "7", "[7]", "[null]", "[", "[[]]"}) {
        EXPECT_THROW((void)decode_strings(json), Unusable) << json;
        EXPECT_THROW((void)decode_held(json), Unusable) << json;
    }
    for (const char* json :
         {R"([{}])", R"([{"age_us":1,"lease":1,"pid":1,"running":true,"task":"x"}])",
          R"([{"age_us":1,"lease":1,"pid":1,"running":1,"task":"0192f3a4-5b6c-7d8e-9fab-0123456789cd"}])",
          R"([{"age_us":1,"lease":"1","pid":1,"running":true,"task":"0192f3a4-5b6c-7d8e-9fab-0123456789cd"}])"})
        EXPECT_THROW((void)decode_held(json), Unusable) << json;
}

TEST(Encoding, EveryWordIsReadBackAndNoOther) {
    for (const TaskState state : values_of<TaskState>()) EXPECT_EQ(read_word<TaskState>(word_of(state)), state);
    for (const core::LeaseEnd end :
         {core::LeaseEnd::Completed, core::LeaseEnd::Failed, core::LeaseEnd::Crashed, core::LeaseEnd::Stopped,
          core::LeaseEnd::StoppedCleanly, core::LeaseEnd::Cancelled, core::LeaseEnd::NotStarted})
        EXPECT_EQ(read_word<core::LeaseEnd>(word_of(end)), end);
    for (const WaitReason reason :
         {WaitReason::None, WaitReason::Future, WaitReason::Key, WaitReason::Overdue, WaitReason::Job})
        EXPECT_EQ(read_word<WaitReason>(word_of(reason)), reason);
    for (const WorkerStatus status : {WorkerStatus::Active, WorkerStatus::Draining, WorkerStatus::Inactive})
        EXPECT_EQ(read_word<WorkerStatus>(word_of(status)), status);
    for (const StopReason reason : {StopReason::Cancel, StopReason::Timeout})
        EXPECT_EQ(read_word<StopReason>(word_of(reason)), reason);

    EXPECT_THROW((void)read_word<TaskState>("pending"), Unusable);
    EXPECT_THROW((void)read_word<core::LeaseEnd>(""), Unusable);
    EXPECT_THROW((void)read_word<WaitReason>("x"), Unusable);
    EXPECT_THROW((void)read_word<WorkerStatus>("ACTIVE"), Unusable);
    EXPECT_THROW((void)read_word<StopReason>(""), Unusable);
}

}  // namespace
}  // namespace holdfast::store
