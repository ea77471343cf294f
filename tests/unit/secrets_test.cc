#include "runner/secrets.h"

#include <gmock/gmock.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "runner/printout.h"

namespace holdfast::runner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

const WorkerEnvironment worker("w", {}, "");

core::TaskSpec spec_with(const std::string& source) {
    core::TaskSpec spec;
    spec.script = "true";
    spec.secrets = {{"TOKEN", source}};
    return spec;
}

TEST(ReadSecrets, ComeFromTheWorkersEnvironment) {
    setenv("SECRETS_TEST_TOKEN", "swordfish", 1);
    const auto secrets = read_secrets(spec_with("env:SECRETS_TEST_TOKEN"), worker);
    ASSERT_TRUE(secrets.ok());
    EXPECT_THAT(*secrets, ElementsAre(Pair("TOKEN", "swordfish")));
    unsetenv("SECRETS_TEST_TOKEN");
    EXPECT_THAT(read_secrets(spec_with("env:SECRETS_TEST_TOKEN"), worker).error(),
                "secret TOKEN: this worker has no environment variable SECRETS_TEST_TOKEN");
}

class SecretFile : public ::testing::Test {
protected:
    void TearDown() override { std::filesystem::remove(path); }
    void write(const std::string& content) const { std::ofstream(path, std::ios::binary) << content; }
    Result<Secrets, std::string> read() const { return read_secrets(spec_with("file:" + path), worker); }

    const std::string path = std::filesystem::temp_directory_path() / ("secrets_test." + std::to_string(getpid()));
};

TEST_F(SecretFile, GivesItsContentWithoutTheLastLineEnd) {
    write("sword\nfish\n");
    EXPECT_EQ(read().value().at("TOKEN"), "sword\nfish");
}

TEST_F(SecretFile, ThatCannotBeUsedIsNamedButNotQuoted) {
    EXPECT_THAT(read().error(), HasSubstr("cannot read the file " + path));
    write(std::string("sword\0fish", 10));
    EXPECT_THAT(read().error(), HasSubstr("NUL byte"));
    EXPECT_THAT(read().error(), Not(HasSubstr("sword")));
    write(std::string(64 * 1024 + 2, 'x'));
    EXPECT_THAT(read().error(), HasSubstr("longer than 64 KiB"));
}

TEST(SecretMask, HidesEveryOccurrenceAndTheLongestFirst) {
    const SecretMask mask(Secrets{{"A", "swordfish"}, {"B", "sword"}});
    EXPECT_EQ(mask.masked("a swordfish, a sword and swordfishswordfish"), "a ***, a *** and ******");
    EXPECT_EQ(mask.masked("swor dfish"), "swor dfish");
    EXPECT_EQ(mask.masked(""), "");
}

TEST(SecretMask, HidesEachLineOfALongSecretAndLeavesShortPartsAlone) {
    const SecretMask mask(Secrets{{"KEY", "-----BEGIN-----\nabcdefgh\nyz\n"}, {"PIN", "123"}});
    EXPECT_EQ(mask.masked("-----BEGIN-----\nabcdefgh\nyz 123"), "***\n***\nyz 123");
}

TEST(SecretMask, KnowsWhatMayStillBecomeASecret) {
    const SecretMask mask(Secrets{{"A", "swordfish"}});
    EXPECT_EQ(mask.hold_back("the swordf"), 6U);
    EXPECT_EQ(mask.hold_back("the s"), 1U);
    EXPECT_EQ(mask.hold_back("the swordfish"), 0U);
    EXPECT_EQ(mask.hold_back("the end"), 0U);
}

// A secret that arrives byte by byte, with the stream emptied after each, never leaves it.
TEST(PrintStream, NeverGivesAwayHalfASecret) {
    const SecretMask mask(Secrets{{"A", "swordfish"}});
    PrintStream stream("stdout");
    std::string seen;
    for (const char byte : std::string("pass swordfish on")) {
        stream.add({&byte, 1});
        seen += stream.take(false, mask);
    }
    seen += stream.take(true, mask);
    EXPECT_EQ(seen, "pass *** on");
}

}  // namespace
}  // namespace holdfast::runner
