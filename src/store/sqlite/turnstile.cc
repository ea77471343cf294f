#include "store/sqlite/turnstile.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <random>
#include <thread>

#include "base/text.h"
#include "store/errors.h"
#include "store/sqlite/lock_holders.h"

namespace holdfast::sqlite {

namespace {

using MonotonicTime = std::chrono::steady_clock::time_point;

constexpr const char* gate_suffix = "-gate";
constexpr mode_t private_mode = 0600;

/// How long to sleep between two polls: `first` at the beginning, then doubled or halved until `last`.
struct Naps {
    std::chrono::microseconds first;
    std::chrono::microseconds last;

    [[nodiscard]] std::chrono::microseconds after(std::chrono::microseconds nap) const {
        return first < last ? std::min(nap * 2, last) : std::max(nap / 2, last);
    }
};
/// Many wait at the gate: a newcomer polls less often than a writer that has waited, or two would pass it back and
/// forth.
constexpr Naps at_gate{std::chrono::microseconds(500), std::chrono::microseconds(200)};
/// Only the next writer waits for the turn, and beats.
constexpr Naps for_turn{std::chrono::microseconds(20), std::chrono::microseconds(100)};

/// A random time from half of the nap to one and a half: otherwise waiters fall into step, and the same one always
/// polls first.
std::chrono::microseconds about(std::chrono::microseconds nap) {
    thread_local std::minstd_rand dice(static_cast<unsigned>(getpid() ^ gettid()));
    return std::chrono::microseconds(std::uniform_int_distribution(nap.count() / 2, nap.count() * 3 / 2)(dice));
}

/// flock() cannot wait with a limit, and a process that is stopped while it has the turn would block the others
/// silently. So the lock is polled.
bool lock_until(int descriptor, MonotonicTime deadline, const Naps& naps) {
    std::chrono::microseconds nap = naps.first;
    while (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            throw store::Unavailable(concat("waiting for the writers' turn: ", std::strerror(errno)));
        if (std::chrono::steady_clock::now() >= deadline) return false;
        std::this_thread::sleep_for(about(nap));
        nap = naps.after(nap);
    }
    return true;
}

/// Follows links, also to a file that does not exist yet: SQLite would create it there.
std::filesystem::path target_of(std::filesystem::path path) {
    constexpr int most_links = 10;
    std::error_code failure;
    for (int links = 0; links < most_links && std::filesystem::is_symlink(path, failure); ++links) {
        const auto target = std::filesystem::read_symlink(path, failure);
        if (failure) break;
        path = path.parent_path() / target;  // an absolute one replaces it
    }
    return path;
}

/// Gives the file the database's own permissions, whatever the umask, as SQLite does with its log.
void share_as(const std::string& database, int descriptor) {
    struct stat status {};
    if (stat(database.c_str(), &status) != 0) return;
    fchmod(descriptor, status.st_mode & 0777);
    // An administrator gives the file to the owner of the database; other users may not, and keep it.
    [[maybe_unused]] const int ignored = geteuid() == 0 ? fchown(descriptor, status.st_uid, status.st_gid) : 0;
}

}  // namespace

void create_private(const std::string& path) {
    const std::string target = target_of(path);
    const int created = open(target.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, private_mode);
    if (created < 0) return;
    fchmod(created, private_mode);  // whatever the umask
    close(created);
}

Descriptor open_beside(const std::string& database, std::string_view suffix) {
    const auto path = concat(database, suffix);
    int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, private_mode);
    if (descriptor >= 0)
        share_as(database, descriptor);
    else if (errno == EEXIST)
        descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0)
        throw store::Unusable(
            concat(path, " cannot be opened: ", std::strerror(errno), "; the database's directory must be writable"));
    return Descriptor(descriptor);
}

Turnstile::Turnstile(const std::string& database, Rank rank)
    : database_(database),
      rank_(rank),
      gate_(open_beside(database, gate_suffix)),
      turn_(open_beside(database, turn_suffix)) {}

void Turnstile::enter(const Deadline& deadline) {
    if (!deadline.at()) return enter(work_patience);
    const bool is_next = rank_ == Rank::Beat || lock_until(gate_.get(), *deadline.at(), at_gate);
    const bool has_turn = is_next && lock_until(turn_.get(), *deadline.at(), for_turn);
    flock(gate_.get(), LOCK_UN);  // harmless when it is not held
    if (!has_turn)
        throw store::Unavailable(concat("the database has been locked for ", format_duration(*deadline.patience()),
                                        " by ", name_lock_holder(database_),
                                        "; if it is stopped, continue or kill it"));
}

void Turnstile::leave() {
    flock(turn_.get(), LOCK_UN);
}

}  // namespace holdfast::sqlite
