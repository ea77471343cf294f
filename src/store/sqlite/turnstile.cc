#include "store/sqlite/turnstile.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <random>
#include <thread>

#include "base/links.h"
#include "base/text.h"
#include "store/errors.h"
#include "store/sqlite/lock_holders.h"

namespace holdfast::sqlite {

namespace {

constexpr const char* gate_suffix = "-gate";
constexpr mode_t private_mode = 0600;

/// How long a process may come back for the turn without passing the gate.
constexpr Duration turn_at_once = std::chrono::milliseconds(1);

/// How long to sleep when no news comes: its sender may have died, or have no room for news. Not exactly so long, or
/// waiters fall into step, and the same one always polls first. Many wait at the gate, only one and beats for the
/// turn.
Duration nap_for(LockNews::Of lock, bool has_news) {
    thread_local std::minstd_rand dice(static_cast<unsigned>(getpid() ^ gettid()));
    const Duration nap = std::chrono::microseconds(lock == LockNews::Of::Gate ? 300 : 60) * (has_news ? 5 : 1);
    return Duration(std::uniform_int_distribution(nap.count() / 2, nap.count() * 3 / 2)(dice));
}

/// True: the lock is held now.
bool try_lock(int descriptor) {
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno == EWOULDBLOCK || errno == EINTR) return false;
    throw store::Unavailable(concat("waiting for the writers' turn: ", std::strerror(errno)));
}

constexpr std::size_t news_bytes = 4096;

/// The file's first bytes, in shared memory; nullptr: the disk has no room for them. (Writing to a page of a file
/// that cannot be put on the disk would kill the process.)
void* map_news(int file) {
    struct stat status {};
    if (fstat(file, &status) != 0) return nullptr;
    if (status.st_size < static_cast<off_t>(news_bytes) && posix_fallocate(file, 0, news_bytes) != 0) return nullptr;
    void* const memory = mmap(nullptr, news_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return memory == MAP_FAILED ? nullptr : memory;
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
    const int created = open(follow_links(path).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, private_mode);
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

LockNews::LockNews(int gate) : memory_(map_news(gate)) {}

LockNews::~LockNews() {
    if (memory_ != nullptr) munmap(memory_, news_bytes);
}

std::atomic<std::uint32_t>* LockNews::number(Of lock) const {
    if (memory_ == nullptr) return nullptr;
    return static_cast<std::atomic<std::uint32_t>*>(memory_) + (lock == Of::Gate ? 0 : 1);
}

std::uint32_t LockNews::seen(Of lock) const {
    const auto* news = number(lock);
    return news == nullptr ? 0 : news->load();
}

void LockNews::wait(Of lock, std::uint32_t seen, Duration at_most) const {
    auto* news = number(lock);
    const auto nap = std::min(at_most, nap_for(lock, news != nullptr));
    if (news == nullptr) return std::this_thread::sleep_for(nap);
    const timespec limit{.tv_sec = 0, .tv_nsec = std::chrono::nanoseconds(nap).count()};
    syscall(SYS_futex, news, FUTEX_WAIT, seen, &limit, nullptr, 0);
}

void LockNews::tell(Of lock) const {
    auto* news = number(lock);
    if (news == nullptr) return;
    ++*news;
    const int most = lock == Of::Gate ? 1 : INT_MAX;
    syscall(SYS_futex, news, FUTEX_WAKE, most, nullptr, nullptr, 0);
}

Turnstile::Turnstile(const std::string& database, Rank rank)
    : database_(database),
      rank_(rank),
      gate_(open_beside(database, gate_suffix)),
      turn_(open_beside(database, turn_suffix)),
      news_(gate_.get()) {}

/// flock() cannot wait with a limit, and a process that is stopped while it has the turn would block the others
/// silently. So the lock is tried again after each news, and now and then without.
bool Turnstile::lock_until(LockNews::Of lock, MonotonicTime deadline) {
    const int descriptor = lock == LockNews::Of::Gate ? gate_.get() : turn_.get();
    for (;;) {
        const auto seen = news_.seen(lock);
        if (try_lock(descriptor)) return true;
        const auto left = std::chrono::ceil<Duration>(deadline - std::chrono::steady_clock::now());
        if (left <= Duration::zero()) return false;
        news_.wait(lock, seen, left);
    }
}

bool Turnstile::may_come_back() const {
    return rank_ == Rank::Work && std::chrono::steady_clock::now() - passed_gate_ < turn_at_once;
}

/// Whether the process has had the turn only just now, and gets it again.
bool Turnstile::comes_back() {
    came_back_ = may_come_back() && try_lock(turn_.get());
    return came_back_;
}

bool Turnstile::passes_gate(MonotonicTime deadline) {
    if (!lock_until(LockNews::Of::Gate, deadline)) return false;
    const bool has_turn = lock_until(LockNews::Of::Turn, deadline);
    flock(gate_.get(), LOCK_UN);
    news_.tell(LockNews::Of::Gate);
    if (has_turn) passed_gate_ = std::chrono::steady_clock::now();
    return has_turn;
}

void Turnstile::enter(const Deadline& deadline) {
    if (!deadline.at()) return enter(work_patience);
    if (comes_back()) return;
    const bool has_turn =
        rank_ == Rank::Beat ? lock_until(LockNews::Of::Turn, *deadline.at()) : passes_gate(*deadline.at());
    if (!has_turn)
        throw store::Unavailable(concat("the database has been locked for ", format_duration(*deadline.patience()),
                                        " by ", name_lock_holder(database_),
                                        "; if it is stopped, continue or kill it"));
}

/// A process that comes back again and again does not wake the next one each time, in vain: it would cost both of
/// them more than the transaction. If it stays away, the next one is late by a nap.
void Turnstile::leave() {
    flock(turn_.get(), LOCK_UN);
    if (!came_back_ || !may_come_back()) news_.tell(LockNews::Of::Turn);
}

}  // namespace holdfast::sqlite
