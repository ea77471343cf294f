#include "platform/workshop.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <system_error>

#include "platform/files.h"

namespace holdfast::platform {
namespace {

namespace fs = std::filesystem;

class WorkshopOfAFile : public testing::Test {
protected:
    void write(const std::string& path, const std::string& content) const { std::ofstream(path) << content; }

    PrivateFolder folder{"holdfast-workshop-test-"};
    std::string file = folder.path() + "/file";
    std::string place = file + ".unfinished";
};

TEST_F(WorkshopOfAFile, IsRemovedWithWhatIsInIt) {
    {
        const Workshop workshop(file);
        write(workshop.path_of("a"), "1");
        EXPECT_TRUE(fs::exists(place + "/a"));
    }
    EXPECT_FALSE(fs::exists(place));
}

TEST_F(WorkshopOfAFile, ReplacesWhatAKilledProcessLeft) {
    fs::create_directory(place);
    write(place + "/old", "1");
    const Workshop workshop(file);
    EXPECT_FALSE(fs::exists(place + "/old"));
}

TEST_F(WorkshopOfAFile, IsRefusedWhileAnotherProcessHasIt) {
    fs::create_directory(place);
    const Descriptor other(open(place.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_EQ(flock(other.get(), LOCK_EX | LOCK_NB), 0);
    try {
        const Workshop workshop(file);
        ADD_FAILURE();
    } catch (const std::system_error& refusal) {
        EXPECT_EQ(refusal.code(), std::errc::device_or_resource_busy);
    }
    EXPECT_TRUE(fs::exists(place));
}

TEST_F(WorkshopOfAFile, PutsAFinishedFileInPlaceAndKeepsAnExistingOneUnlessAsked) {
    const Workshop workshop(file);
    write(workshop.path_of("new"), "new");
    write(file, "old");
    EXPECT_THROW(put_in_place(workshop.path_of("new"), file, Existing::Kept), std::system_error);
    EXPECT_EQ(content_of(file), "old");
    put_in_place(workshop.path_of("new"), file, Existing::Replaced);
    EXPECT_EQ(content_of(file), "new");
}

TEST_F(WorkshopOfAFile, CopiesAFileForThisUserAlone) {
    const std::string content(1'000'000, 'x');
    write(file, content);
    copy_file(file, file + ".copy");
    EXPECT_EQ(content_of(file + ".copy"), content);
    EXPECT_EQ(fs::status(file + ".copy").permissions(), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_THROW(copy_file(folder.path() + "/missing", file + ".other"), std::system_error);
    EXPECT_THROW(copy_file(file, file + ".copy"), std::system_error);
}

}  // namespace
}  // namespace holdfast::platform
