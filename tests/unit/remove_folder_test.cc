#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "platform/files.h"

namespace holdfast::platform {
namespace {

namespace fs = std::filesystem;

class RemoveFolder : public ::testing::Test {
protected:
    [[nodiscard]] std::string path(const std::string& name) const { return outer.path() + "/" + name; }

    PrivateFolder outer{"holdfast-remove-folder-test."};
};

TEST_F(RemoveFolder, RemovesEverythingWhateverItsModeIs) {
    fs::create_directories(path("folder/a/b/c"));
    std::ofstream(path("folder/a/file")) << "x";
    for (const char* each : {"folder/a/b/c", "folder/a/b", "folder/a"}) chmod(path(each).c_str(), 0);
    remove_folder(path("folder"));
    EXPECT_FALSE(fs::exists(path("folder")));
}

TEST_F(RemoveFolder, RemovesWhatIsNestedDeeperThanAPathCanBeLong) {
    fs::create_directory(path("folder"));
    const Descriptor before(open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_EQ(chdir(path("folder").c_str()), 0);
    for (int i = 0; i < 3000; ++i) {
        ASSERT_EQ(mkdir("deeper", 0700), 0);
        ASSERT_EQ(chdir("deeper"), 0);
    }
    std::ofstream("file") << "x";
    ASSERT_EQ(fchdir(before.get()), 0);
    remove_folder(path("folder"));
    EXPECT_FALSE(fs::exists(path("folder")));
}

TEST_F(RemoveFolder, LeavesWhatLinksLeadTo) {
    fs::create_directories(path("precious/inside"));
    fs::create_directory(path("folder"));
    ASSERT_EQ(symlink(path("precious").c_str(), path("folder/link").c_str()), 0);
    ASSERT_EQ(symlink(path("precious").c_str(), path("link").c_str()), 0);
    chmod(path("precious").c_str(), 0500);
    remove_folder(path("folder"));
    remove_folder(path("link"));
    EXPECT_TRUE(fs::exists(path("precious/inside")));
    struct stat status {};
    ASSERT_EQ(stat(path("precious").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0500U);
    EXPECT_FALSE(fs::exists(fs::symlink_status(path("folder"))));
    EXPECT_FALSE(fs::exists(fs::symlink_status(path("link"))));
}

}  // namespace
}  // namespace holdfast::platform
