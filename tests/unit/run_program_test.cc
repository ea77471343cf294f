#include "platform/programs.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "platform/service_loop.h"

namespace holdfast::platform {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(RunProgram, TellsWhatItPrintedAndItsStatus) {
    const auto end = run_program({"sh", "-c", "echo hi; exit 3"}, seconds(60));
    ASSERT_TRUE(end.has_value());
    EXPECT_EQ(end->output, "hi\n");
    EXPECT_EQ(WEXITSTATUS(end->status), 3);
}

TEST(RunProgram, OneThatPrintsForTooLongIsKilled) {
    EXPECT_FALSE(run_program({"sh", "-c", "echo hi; sleep 1000"}, milliseconds(100)).has_value());
}

TEST(RunProgram, OneThatHasClosedItsOutputIsKilledAsWell) {
    const Duration begun = machine_time();
    EXPECT_FALSE(run_program({"sh", "-c", "exec sleep 1000 >/dev/null"}, milliseconds(100)).has_value());
    EXPECT_LT(machine_time() - begun, seconds(60));
}

TEST(RunProgram, OneThatDoesNotExistTellsNothing) {
    EXPECT_FALSE(run_program({"no-such-program"}, seconds(60)).has_value());
}

}  // namespace
}  // namespace holdfast::platform
