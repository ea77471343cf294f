#include "core/task/run_as.h"

#include "tests/config/loading.h"

namespace holdfast::config {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RunAsSetting : public Loading {
protected:
    [[nodiscard]] core::RunAs run_as() { return core::parse_run_as(accepted().worker.run_as).value(); }
};

TEST_F(RunAsSetting, IsAnAccountOrARangeOfUserIds) {
    EXPECT_THAT(accepted().worker.run_as, IsEmpty());
    write("worker: {run_as: {user: tasks}}\n");
    EXPECT_EQ(run_as().user, "tasks");
    write("worker: {run_as: {uids: 60000-60099}}\n");
    EXPECT_EQ(run_as(), (core::RunAs{.user = {}, .first = 60000, .last = 60099}));
    EXPECT_EQ(shown("worker.run_as"), "{uids: 60000-60099} (holdfast.yaml:1)");
}

TEST_F(RunAsSetting, CanComeFromTheEnvironment) {
    params.environment["HOLDFAST_WORKER_RUN_AS"] = "uids=60000-60099";
    EXPECT_EQ(run_as().last, 60099U);
}

TEST_F(RunAsSetting, IsRefusedWithEverythingThatIsWrongWithIt) {
    write("worker:\n  run_as: {user: root, uids: 5-3}\n");
    EXPECT_THAT(complaints(),
                ElementsAre(HasSubstr("holdfast.yaml:2:3: worker.run_as: run_as needs either user or uids"),
                            HasSubstr("worker.run_as: run_as must not name root"),
                            HasSubstr("worker.run_as: run_as has the uids 5-3; write FROM-TO")));
}

TEST_F(RunAsSetting, RefusesUsersThatMustNotRunTasks) {
    for (const char* bad : {"{uids: 0-9}", "{uids: 65000-66000}", "{uids: 4294967290-4294967295}", "{user: \"\"}",
                            "{group: x}", "{uids: a-b}"}) {
        write(std::string("worker: {max_concurrent_tasks: 1, run_as: ") + bad + "}\n");
        EXPECT_THAT(complaints(), testing::Contains(HasSubstr("worker.run_as: run_as "))) << bad;
    }
}

TEST_F(RunAsSetting, NeedsAUserForEachSlotAndProcesses) {
    write("worker:\n  max_concurrent_tasks: 20\n  isolation: thread\n  run_as: {uids: 60000-60009}\n");
    EXPECT_THAT(complaints(),
                ElementsAre(HasSubstr("holdfast.yaml:4:3: worker.run_as: run_as has 10 uids for 20 slots"),
                            HasSubstr("holdfast.yaml:4:3: worker.run_as: run_as with isolation thread")));
}

}  // namespace

}  // namespace holdfast::config
