#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "tests/architecture/layer_rules.h"
#include "tests/architecture/source_text.h"

namespace holdfast::architecture {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Sources sources_of_the_repository() {
    namespace fs = std::filesystem;
    const fs::path root = HOLDFAST_SOURCE_DIR;
    Sources sources;
    for (const char* folder : {"include", "src", "proof"})
        for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
            const auto extension = entry.path().extension();
            if (extension != ".h" && extension != ".cc" && extension != ".hpp" && extension != ".cpp") continue;
            std::ifstream file(entry.path());
            sources[fs::relative(entry.path(), root).generic_string()] =
                std::string(std::istreambuf_iterator(file), {});
        }
    return sources;
}

TEST(Architecture, IncludesPointOneWayAndThePureLayersTouchNothing) {
    const Sources sources = sources_of_the_repository();
    ASSERT_TRUE(sources.contains("src/core/task/settlement.cc")) << "the sources were not found";
    ASSERT_TRUE(sources.contains("include/holdfast/task.h"));
    EXPECT_EQ(join(violations(sources), "\n"), "");
}

// ---- The check itself must be able to fail ------------------------------------------------------

struct Offence {
    const char* path;
    const char* line;
    const char* rule;
};

TEST(ArchitectureCheck, FindsEveryIncludeAgainstTheDirection) {
    const Offence offences[] = {
        {"include/holdfast/client.h", "#include \"base/text.h\"", "include/holdfast may not see src/base"},
        {"include/holdfast/client.h", "#include \"store/store.h\"", "include/holdfast may not see src/store"},
        {"src/base/text.h", "#include \"core/verdict.h\"", "src/base may not see src/core"},
        {"src/core/verdict.cc", "#include \"store/store.h\"", "src/core may not see src/store"},
        {"src/core/verdict.cc", "#include \"config/config.h\"", "src/core may not see src/config"},
        {"src/config/config.cc", "#include \"store/store.h\"", "src/config may not see src/store"},
        {"src/store/store.h", "#include \"config/config.h\"", "src/store may not see src/config"},
        {"src/store/store.h", "#include \"engine/ports.h\"", "src/store may not see src/engine"},
        {"src/store/names.cc", "#include \"store/sqlite/database.h\"", "src/store may not see src/store/sqlite"},
        {"src/store/sqlite/a.cc", "#include \"store/postgres/b.h\"",
         "src/store/sqlite may not see src/store/postgres"},
        {"src/store/postgres/b.cc", "#include <store/sqlite/a.h>", "src/store/postgres may not see src/store/sqlite"},
        {"src/engine/sweeper.cc", "#include \"store/sqlite/a.h\"", "src/engine may not see src/store/sqlite"},
        {"src/engine/sweeper.cc", "#include \"platform/clock.h\"", "src/engine may not see src/platform"},
        {"src/platform/clock.cc", "#include \"runner/keeper.h\"", "src/platform may not see src/runner"},
        {"src/client/client.cc", "#include \"config/config.h\"", "src/client may not see src/config"},
        {"src/client/client.cc", "  #  include \"cli/main.h\"", "src/client may not see src/cli"},
        {"src/server/http/server.cc", "#include \"cli/table.h\"", "src/server/http may not see src/cli"},
        {"src/server/http/server.cc", "#include \"store/store.h\"", "src/server/http may not see src/store"},
        {"src/server/api/tasks.cc", "#include \"server/process/replica.h\"",
         "src/server/api may not see src/server/process"},
        {"src/views/shapes.cc", "#include \"server/api/routes.h\"", "src/views may not see src/server/api"},
        {"src/runner/runner.cc", "#include \"server/http/server.h\"", "src/runner may not see src/server/http"},
        {"src/core/verdict.cc", "#include \"../store/store.h\"", "written from src/ or include/"},
        {"src/cli/run.cc", "#include \"proof/commands.h\"", "src/cli may not see proof"},
        {"src/util/strings.h", "#include <string>", "is in no known layer"},
    };
    for (const Offence& offence : offences)
        EXPECT_THAT(violations({{offence.path, offence.line}}), Contains(HasSubstr(offence.rule))) << offence.line;
}

TEST(ArchitectureCheck, FindsLibrariesAndSystemHeadersWhereTheyDoNotBelong) {
    const Offence offences[] = {
        {"include/holdfast/client.h", "#include <libpq-fe.h>", "may not use that library"},
        {"include/holdfast/client.h", "#include <sqlite3.h>", "may not use that library"},
        {"include/holdfast/client.h", "#include <boost/asio.hpp>", "may not use that library"},
        {"include/holdfast/client.h", "#include <unistd.h>", "may not touch the operating system"},
        {"src/base/text.cc", "#include <nlohmann/json.hpp>", "may not use that library"},
        {"src/base/text.cc", "#include <sys/socket.h>", "may not touch the operating system"},
        {"src/core/verdict.cc", "#include <sqlite3.h>", "may not use that library"},
        {"src/core/verdict.cc", "#include <libpq-fe.h>", "may not use that library"},
        {"src/core/verdict.cc", "#include <sys/wait.h>", "may not touch the operating system"},
        {"src/core/verdict.cc", "#include <time.h>", "may not touch the operating system"},
        {"src/store/encoding.cc", "#include <fmt/format.h>", "may not use that library"},
        {"src/store/sqlite/a.cc", "#include <libpq-fe.h>", "may not use that library"},
        {"src/store/postgres/b.cc", "#include <sqlite3.h>", "may not use that library"},
        {"src/client/client.cc", "#include <spdlog/spdlog.h>", "may not use that library"},
        {"src/platform/clock.cc", "#include <yaml-cpp/yaml.h>", "may not use that library"},
        {"src/cli/main.cc", "#include <sqlite3.h>", "may not use that library"},
    };
    for (const Offence& offence : offences)
        EXPECT_THAT(violations({{offence.path, offence.line}}), Contains(HasSubstr(offence.rule))) << offence.line;
}

TEST(ArchitectureCheck, FindsEveryImpureHeaderInAPureLayer) {
    for (const char* header :
         {"thread", "mutex", "shared_mutex", "condition_variable", "future", "atomic", "random", "ctime", "csignal",
          "fstream", "iostream", "filesystem", "cstdio", "sys/socket.h", "sqlite3.h", "pthread.h"})
        for (const char* path : {"src/core/verdict.cc", "src/engine/sweeper.cc"})
            EXPECT_THAT(violations({{path, concat("#include <", header, ">")}}),
                        Contains(HasSubstr(concat("is pure, but gets <", header, ">"))));
}

TEST(ArchitectureCheck, FindsAnImpureHeaderBehindOthers) {
    const Sources sources = {
        {"src/engine/sweeper.cc", "#include \"store/store.h\"\n"},
        {"src/store/store.h", "#include \"base/lock.h\"\n#include \"store/store.h\"\n"},
        {"src/base/lock.h", "#pragma once\n#include <mutex>\n"},
    };
    EXPECT_THAT(violations(sources),
                Contains("src/engine/sweeper.cc: is pure, but gets <mutex> through src/base/lock.h:2"));
}

TEST(ArchitectureCheck, FindsEveryBannedCallInAPureLayer) {
    for (const char* code : {"auto now = std::chrono::system_clock::now();",
                             "auto now = steady_clock::now();",
                             "using Clock = std::chrono::high_resolution_clock;",
                             "std::thread worker(run);",
                             "std::jthread worker(run);",
                             "std::this_thread::sleep_for(1s);",
                             "std::random_device seed;",
                             "std::mt19937_64 engine(7);",
                             "int x = rand();",
                             "const char* home = std::getenv(\"HOME\");",
                             "auto t = time(nullptr);",
                             "std::time(0);",
                             "clock_gettime(CLOCK_MONOTONIC, &now);",
                             "if (fork() == 0) run();",
                             "std::system(command);",
                             "int fd = ::socket(AF_INET, SOCK_STREAM, 0);",
                             "std::cout << 1;",
                             "std::printf(text);",
                             "std::mutex guard;",
                             "std::atomic<int> count;",
                             "std::async(run);"})
        for (const char* path : {"src/core/verdict.cc", "src/engine/sweeper.cc"})
            EXPECT_THAT(violations({{path, code}}), Contains(HasSubstr(concat(path, ":1: is pure, but uses"))))
                << code;
}

TEST(ArchitectureCheck, LeavesInnocentCodeAlone) {
    for (const char* code :
         {"#include <chrono>", "#include <nlohmann/json.hpp>", "#include \"base/text.h\"",
          "#include \"holdfast/task.h\"", "// std::thread and system_clock::now() are not used here",
          "/* #include <thread>\n   getenv(x) */", "const char* text = \"calls fork() and getenv()\";",
          "auto text = R\"(\n#include <thread>\nfork()\n)\";", "auto big = 1'000'000; int brand_new = operand(big);",
          "store.send(message);", "waker->poll();", "Duration run_time(0);", "bool is_thread_safe = true;",
          "char quote = '\"'; char other = '\\'';"})
        EXPECT_THAT(violations({{"src/core/verdict.cc", code}}), IsEmpty()) << code;
}

TEST(ArchitectureCheck, AllowsEachLayerWhatItIsFor) {
    const Sources sources = {
        {"include/holdfast/client.h",
         "#include <vector>\n#include <nlohmann/json.hpp>\n#include \"holdfast/task.h\"\n"},
        {"src/store/sqlite/a.cc", "#include <sqlite3.h>\n#include <sys/file.h>\n#include \"store/store.h\"\n"},
        {"src/store/postgres/b.cc", "#include <libpq-fe.h>\n#include <thread>\n#include \"core/settlement.h\"\n"},
        {"src/client/client.cc", "#include \"store/sqlite/a.h\"\n#include \"store/postgres/b.h\"\n"},
        {"src/platform/clock.cc", "#include <ctime>\nauto now = std::chrono::steady_clock::now();\n"},
        {"src/cli/main.cc", "#include \"store/sqlite/a.h\"\n#include <fmt/format.h>\n#include \"config/config.h\"\n"},
        {"src/cli/command.cc", "#include <CLI/CLI.hpp>\n#include \"cli/command.h\"\n"},
        {"src/main.cc", "#include \"cli/main.h\"\n#include \"proof/commands.h\"\n"},
    };
    EXPECT_THAT(violations(sources), IsEmpty());
}

TEST(ArchitectureCheck, ReadsIncludesWithTheirLines) {
    const auto includes =
        includes_of("// #include <a>\n#include <b>\n\n  # include \"c/d.h\"  // why\n/*\n#include <e>*/");
    ASSERT_THAT(includes, SizeIs(2));
    EXPECT_EQ(includes[0].path, "b");
    EXPECT_EQ(includes[0].line, 2);
    EXPECT_EQ(includes[1].path, "c/d.h");
    EXPECT_EQ(includes[1].line, 4);
}

}  // namespace
}  // namespace holdfast::architecture
