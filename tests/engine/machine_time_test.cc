#include <gtest/gtest.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "platform/service_loop.h"

namespace holdfast::platform {
namespace {

Duration read(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return std::chrono::seconds(now.tv_sec) +
           std::chrono::duration_cast<Duration>(std::chrono::nanoseconds(now.tv_nsec));
}

/// In a process of its own: the choice is for good.
bool holds_in_child(bool (*claim)()) {
    const pid_t child = fork();
    if (child == 0) _exit(claim() ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool runs_on(clockid_t clock) {
    const Duration before = read(clock);
    const Duration now = machine_time();
    return before <= now && now <= read(clock);
}

TEST(MachineTime, LeavesOutSleepWhereEverybodySleepsTogetherAndTellsChildrenSo) {
    EXPECT_TRUE(holds_in_child([] {
        count_sleep(false);
        return runs_on(CLOCK_MONOTONIC) && std::string_view(getenv("HOLDFAST_CLOCK")) == "monotonic";
    }));
}

TEST(MachineTime, CountsSleepForGoodOnceThatIsNeeded) {
    EXPECT_TRUE(holds_in_child([] {
        count_sleep(true);
        count_sleep(false);
        return runs_on(CLOCK_BOOTTIME);
    }));
}

}  // namespace
}  // namespace holdfast::platform
