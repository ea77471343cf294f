#include "platform/process_table.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/descriptor.h"
#include "base/text.h"
#include "platform/process_table.h"

namespace holdfast::platform {
namespace {

void* sleep_for_ever(void*) {
    while (true) pause();
}

/// A child whose first thread has ended while another one goes on.
pid_t start_without_first_thread() {
    const pid_t child = fork();
    if (child != 0) return child;
    pthread_t other = 0;
    pthread_create(&other, nullptr, sleep_for_ever, nullptr);
    syscall(SYS_exit, 0);  // of this thread alone
    abort();
}

TEST(ProcessTable, AProcessIsDeadOnlyWhenItsLastThreadIs) {
    const pid_t child = start_without_first_thread();
    while (std::filesystem::exists(concat("/proc/", child, "/exe"))) usleep(1000);  // its first thread lives
    ASSERT_TRUE(find_process(child));
    EXPECT_NE(find_process(child)->state, 'Z');
    kill(child, SIGKILL);
    siginfo_t ended{};
    waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT);
    EXPECT_EQ(find_process(child)->state, 'Z');
    waitpid(child, nullptr, 0);
    EXPECT_FALSE(find_process(child));
}

/// A program that holds a lock, with much memory to give back when it dies. The id of its worker is the lock's path,
/// so that no other test uses it at the same time.
pid_t start_holder(const std::string& lock) {
    const pid_t child = fork();
    if (child != 0) return child;
    setenv(std::string(worker_variable).c_str(), lock.c_str(), 1);
    execlp("python3", "python3", "-c",
           concat("import fcntl, time; f = open('", lock, "'); fcntl.flock(f, fcntl.LOCK_EX); ",
                  "b = bytearray(300 << 20); open('", lock, ".held', 'w'); time.sleep(1000)")
               .c_str(),
           nullptr);
    _exit(127);
}

TEST(KillProcessesOfWorker, ReturnsWhenWhatTheyHeldIsFree) {
    const std::string lock = std::filesystem::temp_directory_path() / concat("process_table_test.", getpid());
    const Descriptor file(open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    const pid_t child = start_holder(lock);
    while (!std::filesystem::exists(lock + ".held")) usleep(1000);
    ASSERT_NE(flock(file.get(), LOCK_EX | LOCK_NB), 0);
    EXPECT_EQ(kill_processes_of_worker(lock), 0U);
    EXPECT_EQ(flock(file.get(), LOCK_EX | LOCK_NB), 0);
    waitpid(child, nullptr, 0);
    std::filesystem::remove(lock);
    std::filesystem::remove(lock + ".held");
}

}  // namespace
}  // namespace holdfast::platform
