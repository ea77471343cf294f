#include "chaos/small_disk.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "base/text.h"
#include "platform/descriptor.h"

namespace holdfast::chaos {

namespace {

[[noreturn]] void fail(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

/// What is mounted from now on is seen by nobody else, and goes with the last of our processes.
void leave_common_mounts() {
    static const bool has_left = [] {
        if (unshare(CLONE_NEWNS) != 0) fail("a mount namespace of its own");
        if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) fail("private mounts");
        return true;
    }();
    (void)has_left;
}

}  // namespace

SmallDisk::SmallDisk(std::string path, std::int64_t bytes) : path_(std::move(path)) {
    leave_common_mounts();
    const std::string options = concat("mode=0755,size=", bytes);
    if (mount("holdfast-chaos", path_.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) != 0) fail("a tmpfs");
}

SmallDisk::~SmallDisk() {
    umount2(path_.c_str(), MNT_DETACH);
}

void SmallDisk::fill() const {
    const platform::Descriptor file(open(ballast().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    struct statvfs space {};
    if (!file || fstatvfs(file.get(), &space) != 0) return;  // full already
    const auto size = static_cast<off_t>(space.f_bfree * space.f_bsize);
    [[maybe_unused]] const int failed = posix_fallocate(file.get(), 0, size);
    // Others write meanwhile: take the rest piece by piece.
    const std::array<char, 4096> page{};
    lseek(file.get(), 0, SEEK_END);
    while (write(file.get(), page.data(), page.size()) > 0) {
    }
}

void SmallDisk::free() const {
    unlink(ballast().c_str());
}

}  // namespace holdfast::chaos
