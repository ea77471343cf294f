#include "platform/task_ids.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

namespace holdfast::platform {
namespace {

TEST(TaskIds, ThreadsNeverMakeTheSameOne) {
    constexpr int per_thread = 20000;
    std::vector<std::vector<Uuid>> made(4);
    std::vector<std::thread> threads;
    for (auto& mine : made)
        threads.emplace_back([&mine] {
            for (int i = 0; i < per_thread; ++i) mine.push_back(new_task_id());
        });
    for (auto& thread : threads) thread.join();
    std::set<Uuid> all;
    for (const auto& mine : made) {
        EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
        all.insert(mine.begin(), mine.end());
    }
    EXPECT_EQ(all.size(), 4u * per_thread);
}

TEST(TaskIds, AForkedChildDoesNotMakeItsParentsIds) {
    // Ahead of the clock, so that both would only count on from the same number.
    for (int i = 0; i < 1000; ++i) (void)new_task_id();
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        std::vector<Uuid::Bytes> made;
        for (int i = 0; i < 100; ++i) made.push_back(new_task_id().bytes());
        const auto size = made.size() * sizeof(Uuid::Bytes);
        _exit(write(ends[1], made.data(), size) == static_cast<ssize_t>(size) ? 0 : 1);
    }
    std::set<Uuid> mine;
    for (int i = 0; i < 100; ++i) mine.insert(new_task_id());
    std::vector<Uuid::Bytes> childs(100);
    ASSERT_EQ(read(ends[0], childs.data(), 100 * sizeof(Uuid::Bytes)),
              static_cast<ssize_t>(100 * sizeof(Uuid::Bytes)));
    int status = 0;
    waitpid(child, &status, 0);
    close(ends[0]);
    close(ends[1]);
    for (const auto& bytes : childs) EXPECT_FALSE(mine.contains(Uuid(bytes)));
}

}  // namespace
}  // namespace holdfast::platform
