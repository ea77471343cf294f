#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "platform/files.h"
#include "platform/zone_files.h"

namespace holdfast::platform {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string error_of(const std::string& name, const std::string& folder = zone_folder) {
    const auto read = read_zone(name, folder);
    return read ? "" : read.error();
}

TEST(ZoneFiles, EveryZoneOfTheMachineIsRead) {
    int count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(zone_folder)) {
        const std::string name = entry.path().lexically_relative(zone_folder).generic_string();
        const bool is_zone = entry.is_regular_file() && name.find('.') == std::string::npos &&
                             !name.starts_with("right/") && name != "leapseconds" && name != "+VERSION";
        if (!is_zone) continue;
        EXPECT_EQ(error_of(name), "") << name;
        ++count;
    }
    EXPECT_GT(count, 300);
}

TEST(ZoneFiles, AMisspeltZoneIsAnsweredWithTheNearest) {
    EXPECT_EQ(error_of("Europe/Berln"), "unknown time zone \"Europe/Berln\"; did you mean \"Europe/Berlin\"?");
    EXPECT_THAT(error_of("Middle/Earth_And_More"),
                HasSubstr("unknown time zone \"Middle/Earth_And_More\"; give a name"));
    EXPECT_THAT(error_of("Europe"), HasSubstr("unknown time zone \"Europe\""));  // a folder
}

TEST(ZoneFiles, NoNameLeadsOutOfTheFolder) {
    const PrivateFolder folder("holdfast-zones");
    fs::create_directory(folder.path() + "/zones");
    fs::copy_file("/usr/share/zoneinfo/Europe/Berlin", folder.path() + "/Outside");
    fs::copy_file("/usr/share/zoneinfo/Europe/Berlin", folder.path() + "/zones/Inside");
    const std::string zones = folder.path() + "/zones";
    ASSERT_EQ(error_of("Inside", zones), "");
    for (const std::string& name : {std::string("../Outside"), std::string("./Inside"), folder.path() + "/Outside",
                                    std::string(), std::string("/"), std::string("Inside/"), std::string("//Inside"),
                                    std::string("Inside\0x", 8), std::string("In side"), std::string(5000, 'x')})
        EXPECT_THAT(error_of(name, zones), HasSubstr("a time zone must be a name like")) << name;
}

TEST(ZoneFiles, WhatIsNoZoneFileIsRefusedWithItsPath) {
    const PrivateFolder folder("holdfast-zones");
    std::ofstream(folder.path() + "/Text") << "hello";
    EXPECT_EQ(error_of("Text", folder.path()),
              "the time zone \"Text\" cannot be used: " + folder.path() + "/Text is not a zone file");
}

TEST(ZoneFiles, WithoutZoneFilesOnlyUtcIsKnown) {
    EXPECT_EQ(error_of("UTC", "/nonexistent"), "");
    EXPECT_THAT(error_of("Europe/Berlin", "/nonexistent"), HasSubstr("install the package tzdata"));
}

}  // namespace
}  // namespace holdfast::platform
