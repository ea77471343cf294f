#include "worker/capabilities.h"

#include <gmock/gmock.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace holdfast::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A stand-in for a container engine's command: a shell script.
class Engine {
public:
    explicit Engine(const std::string& script)
        : path_((std::filesystem::temp_directory_path() / ("holdfast-engine-" + std::to_string(getpid()))).string()) {
        std::ofstream(path_) << "#!/bin/sh\n" << script << '\n';
        std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
    }
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    ~Engine() {
        std::filesystem::remove(path_);
        std::filesystem::remove(path_ + ".told");
    }

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::string told() const {
        std::ifstream file(path_ + ".told");
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }

private:
    std::string path_;
};

FunctionTable two_functions() {
    const auto nothing = make_function<Nothing, Nothing>([](const Nothing&) {});
    return {{"resize", nothing}, {"mail", nothing}};
}

TEST(Capabilities, AreScriptsFunctionsAndWhatIsConfiguredEachOnce) {
    EXPECT_THAT(detect_capabilities({.tags = {"gpu", "script", "gpu"}}, two_functions()),
                ElementsAre("script", "task:mail", "task:resize", "gpu"));
    EXPECT_THAT(detect_capabilities({}, {}), ElementsAre("script"));
}

TEST(Capabilities, OfThreadsAreFunctionsOnly) {
    const Engine engine("exit 0");
    EXPECT_THAT(
        detect_capabilities({.isolation = Isolation::Thread, .container_command = {engine.path()}}, two_functions()),
        ElementsAre("task:mail", "task:resize"));
    EXPECT_THAT(detect_capabilities({.isolation = Isolation::Thread}, {}), IsEmpty());
}

TEST(Capabilities, IncludeContainersWhenTheirEngineAnswers) {
    const Engine engine("echo \"$@\" > $0.told; echo noise; echo noise >&2");
    EXPECT_THAT(detect_capabilities({.container_command = {engine.path(), "--host", "a b"}}, {}),
                ElementsAre("script", "docker"));
    EXPECT_EQ(engine.told(), "--host a b ps -q\n");
}

TEST(Capabilities, DoNotIncludeContainersWhenTheirEngineFailsIsMissingOrIsNotAProgram) {
    const Engine engine("exit 1");
    EXPECT_FALSE(answers({engine.path()}, std::chrono::seconds(10)));
    EXPECT_FALSE(answers({"/nowhere/docker"}, std::chrono::seconds(10)));
    EXPECT_FALSE(answers({"holdfast-no-such-program"}, std::chrono::seconds(10)));
    EXPECT_FALSE(answers({}, std::chrono::seconds(10)));
}

/// Returns when the process is dead. It need not be a child of this one.
void await_death(pid_t pid) {
    const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
    if (descriptor < 0) return;  // dead and gone
    pollfd dead{.fd = descriptor, .events = POLLIN, .revents = 0};
    EXPECT_EQ(poll(&dead, 1, 60'000), 1) << "process " << pid << " was left behind";
    close(descriptor);
}

TEST(Capabilities, DoNotWaitForAnEngineThatHangsNorLeaveItBehind) {
    const Engine engine("sleep 1000 & echo $! > $0.told; wait");
    Duration patience = std::chrono::milliseconds(200);
    // A busy machine may not have started the stand-in by then; twice as long each time, it will.
    while (engine.told().empty() && patience < std::chrono::minutes(1)) {
        EXPECT_FALSE(answers({engine.path()}, patience));
        patience *= 2;
    }
    await_death(std::stoi(engine.told()));
}

}  // namespace
}  // namespace holdfast::worker
