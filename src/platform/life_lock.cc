#include "platform/life_lock.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/links.h"
#include "base/text.h"
#include "base/throw_errno.h"
#include "store/worker_records.h"

namespace holdfast::platform {

namespace {

struct flock byte_lock(std::int64_t number) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = number;
    lock.l_len = 1;
    return lock;
}

/// Whether it is the file at the path. It may have been removed with the database.
bool is_at(const Descriptor& file, const std::string& path) {
    struct stat own {
    }, found{};
    return file && fstat(file.get(), &own) == 0 && stat(path.c_str(), &found) == 0 && own.st_ino == found.st_ino &&
           own.st_dev == found.st_dev;
}

}  // namespace

void LifeLock::hold(const std::string& path, std::int64_t number) {
    // The store created the file when the worker registered, with the permissions of the database.
    if (!is_at(file_, path)) file_ = Descriptor(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    struct flock lock = byte_lock(number);
    if (!file_ || fcntl(file_.get(), F_OFD_SETLK, &lock) != 0) throw_errno(path);
}

LifeLockState probe_life_lock(const std::string& path, std::int64_t number) {
    const Descriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC));
    struct flock lock = byte_lock(number);
    if (!file || fcntl(file.get(), F_OFD_GETLK, &lock) != 0) return LifeLockState::Unknown;
    return lock.l_type == F_UNLCK ? LifeLockState::Free : LifeLockState::Held;
}

std::optional<std::int64_t> held_life_lock(const std::string& path) {
    const Descriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC));
    struct flock lock = byte_lock(0);
    lock.l_len = 0;  // to the end
    if (!file || fcntl(file.get(), F_OFD_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return std::nullopt;
    return lock.l_start;
}

std::string life_lock_path(const std::string& database) {
    return concat(follow_links(database), store::life_lock_suffix);
}

}  // namespace holdfast::platform
