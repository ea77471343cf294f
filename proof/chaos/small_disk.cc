#include "proof/chaos/small_disk.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>

#include "base/text.h"
#include "base/throw_errno.h"

namespace holdfast::chaos {

namespace {

constexpr unsigned long mount_flags = MS_NOSUID | MS_NODEV;

/// Later mounts are visible only to this process and its children, and end with the last of them.
void leave_common_mounts() {
    static const bool has_left = [] {
        if (unshare(CLONE_NEWNS) != 0) throw_errno("a mount namespace of its own");
        if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) throw_errno("private mounts");
        return true;
    }();
    (void)has_left;
}

}  // namespace

SmallDisk::SmallDisk(std::string path, std::int64_t bytes) : path_(std::move(path)), bytes_(bytes) {
    leave_common_mounts();
    const std::string options = concat("mode=0755,size=", bytes_);
    if (mount("holdfast-chaos", path_.c_str(), "tmpfs", mount_flags, options.c_str()) != 0) throw_errno("a tmpfs");
}

SmallDisk::~SmallDisk() {
    umount2(path_.c_str(), MNT_DETACH);
}

bool SmallDisk::resize(std::int64_t bytes) const {
    const std::string options = concat("size=", bytes);
    return mount("holdfast-chaos", path_.c_str(), "tmpfs", mount_flags | MS_REMOUNT, options.c_str()) == 0;
}

void SmallDisk::fill() const {
    constexpr int tries = 100;  // a write between the two calls makes the second fail
    for (int i = 0; i < tries; ++i) {
        struct statvfs space {};
        if (statvfs(path_.c_str(), &space) != 0) return;
        if (resize(static_cast<std::int64_t>((space.f_blocks - space.f_bfree) * space.f_bsize))) return;
    }
}

void SmallDisk::free() const {
    (void)resize(bytes_);
}

}  // namespace holdfast::chaos
