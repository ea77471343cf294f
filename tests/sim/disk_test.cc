#include "proof/sim/disk.h"

#include <gtest/gtest.h>

#include <cstring>

namespace holdfast::sim {
namespace {

std::vector<std::byte> bytes(std::size_t count, char value) {
    return std::vector<std::byte>(count, static_cast<std::byte>(value));
}

void write(DiskFile& file, std::size_t offset, const std::vector<std::byte>& what) {
    file.write(offset, what);
}

std::vector<std::byte> content(const DiskFile& file) {
    std::vector<std::byte> all(file.size());
    file.read(0, all);
    return all;
}

TEST(Disk, WhatWasSyncedSurvivesEveryPowerCut) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        Dice dice(seed);
        DiskFile file;
        write(file, 0, bytes(3000, 'a'));
        file.sync();
        write(file, 3000, bytes(500, 'b'));
        file.lose_power(dice);
        const auto after = content(file);
        ASSERT_GE(after.size(), 3000U);
        EXPECT_EQ(std::vector(after.begin(), after.begin() + 3000), bytes(3000, 'a'));
    }
}

TEST(Disk, WhatWasNotSyncedIsSometimesTornAtASectorsEdge) {
    bool kept = false, lost = false, torn = false;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Dice dice(seed);
        DiskFile file;
        write(file, 0, bytes(2048, 'a'));
        file.sync();
        write(file, 0, bytes(2048, 'b'));
        file.lose_power(dice);
        const auto after = content(file);
        ASSERT_EQ(after.size(), 2048U);
        std::size_t new_sectors = 0;
        for (std::size_t sector = 0; sector < 4; ++sector) {
            const auto from = after.begin() + static_cast<std::ptrdiff_t>(sector * 512);
            const bool is_new = *from == std::byte{'b'};
            EXPECT_EQ(std::vector(from, from + 512), bytes(512, is_new ? 'b' : 'a')) << "torn within a sector";
            new_sectors += is_new ? 1 : 0;
        }
        kept |= new_sectors == 4;
        lost |= new_sectors == 0;
        torn |= new_sectors > 0 && new_sectors < 4;
    }
    EXPECT_TRUE(kept && lost && torn);
}

TEST(Disk, ReadsBeyondTheEndAsZerosAndSaysSo) {
    DiskFile file;
    write(file, 0, bytes(10, 'a'));
    auto into = bytes(20, 'x');
    EXPECT_FALSE(file.read(0, into));
    EXPECT_EQ(into[19], std::byte{0});
    EXPECT_TRUE(file.read(0, std::span(into).first(10)));
}

/// A disk with one file, which holds "old", and an image of it; then the file holds "new".
struct DiskThatWentOn {
    Disk disk{Dice(1)};
    std::shared_ptr<Inode> before = disk.open("file");
    DiskImage image;

    DiskThatWentOn() {
        write(before->content, 0, bytes(3, 'o'));
        image = disk.image();
        write(before->content, 0, bytes(3, 'n'));
    }
    [[nodiscard]] std::vector<std::byte> now() { return content(disk.open("file")->content); }
};

TEST(Disk, ReplacedFilesLiveOnForThoseWhoHaveThemOpen) {
    DiskThatWentOn all;
    all.disk.restore(all.image, Disk::Restore::Replaced);
    EXPECT_EQ(all.now(), bytes(3, 'o'));
    EXPECT_EQ(content(all.before->content), bytes(3, 'n'));
    EXPECT_NE(all.disk.number_of("file"), all.before->number);
    EXPECT_FALSE(all.before->is_cut_off);
}

TEST(Disk, NobodyReachesTheFilesOfADiskThatHasFailedOver) {
    DiskThatWentOn all;
    all.disk.restore(all.image, Disk::Restore::FailOver);
    EXPECT_EQ(all.now(), bytes(3, 'o'));
    EXPECT_NE(all.disk.number_of("file"), all.before->number);
    EXPECT_TRUE(all.before->is_cut_off);
}

TEST(Disk, FilesRestoredInPlaceKeepTheirNumberAndLoseTheirUsers) {
    DiskThatWentOn all;
    const auto client = std::make_shared<DiskClient>();
    all.disk.clients.push_back(client);
    all.disk.restore(all.image, Disk::Restore::InPlace);
    EXPECT_EQ(all.now(), bytes(3, 'o'));
    EXPECT_EQ(all.disk.number_of("file"), all.before->number);
    EXPECT_TRUE(client->is_dead);
}

TEST(Disk, NeverGivesTheNumberOfAFileThatIsGone) {
    Disk disk{Dice(1)};
    const std::uint64_t first = disk.open("file")->number;
    disk.remove("file");
    EXPECT_EQ(disk.number_of("file"), 0U);
    EXPECT_NE(disk.open("file")->number, first);
}

}  // namespace
}  // namespace holdfast::sim
