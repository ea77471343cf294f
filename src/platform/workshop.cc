#include "platform/workshop.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <thread>

#include "base/throw_errno.h"
#include "platform/files.h"

namespace holdfast::platform {

namespace {

namespace fs = std::filesystem;

sigset_t ending_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
    return set;
}

/// As the signal would have without a Workshop: the parent sees which one it was.
[[noreturn]] void end_by(int signal) {
    const sigset_t set = ending_signals();
    ::signal(signal, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    raise(signal);
    _exit(128 + signal);
}

Descriptor lock_of(const std::string& folder) {
    Descriptor opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (opened && flock(opened.get(), LOCK_EX | LOCK_NB) != 0) {
        errno = EBUSY;
        throw_errno(folder + " is in use by another process");
    }
    return opened;
}

fs::path folder_of(const std::string& file) {
    const fs::path folder = fs::path(file).parent_path();
    return folder.empty() ? fs::path(".") : folder;
}

void sync(const std::string& path, int flags) {
    const Descriptor opened(open(path.c_str(), flags | O_CLOEXEC));
    if (!opened || fsync(opened.get()) != 0) throw_errno(path);
}

}  // namespace

/// Waits for a signal that would end the process, removes the folder, and ends the process.
class Workshop::SignalThread {
public:
    explicit SignalThread(std::string folder) : folder_(std::move(folder)), done_(eventfd(0, EFD_CLOEXEC)) {
        const sigset_t set = ending_signals();
        pthread_sigmask(SIG_BLOCK, &set, &before_);
        arriving_ = Descriptor(signalfd(-1, &set, SFD_CLOEXEC));
        if (!arriving_ || !done_) throw_errno("cannot wait for signals");
        thread_ = std::thread([this] { run(); });
    }
    ~SignalThread() {
        eventfd_write(done_.get(), 1);
        thread_.join();
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    SignalThread(const SignalThread&) = delete;
    SignalThread& operator=(const SignalThread&) = delete;

private:
    void run() const {
        std::array<pollfd, 2> both{pollfd{arriving_.get(), POLLIN, 0}, pollfd{done_.get(), POLLIN, 0}};
        while (poll(both.data(), both.size(), -1) < 0) {
        }
        signalfd_siginfo arrived{};
        if (both[0].revents == 0 || read(arriving_.get(), &arrived, sizeof arrived) != sizeof arrived) return;
        remove_while_it_is_used();
        end_by(static_cast<int>(arrived.ssi_signo));
    }

    /// The thread that works in the folder goes on until the process ends. Once the folder is gone it cannot make
    /// more.
    void remove_while_it_is_used() const {
        constexpr int rounds = 100;
        for (int round = 0; round < rounds && access(folder_.c_str(), F_OK) == 0; ++round) remove_folder(folder_);
    }

    std::string folder_;
    Descriptor done_;
    Descriptor arriving_;
    sigset_t before_ = {};
    std::thread thread_;
};

Workshop::Workshop(const std::string& file) : folder_(file + ".unfinished") {
    { const Descriptor free = lock_of(folder_); }
    remove_folder(folder_);
    if (mkdir(folder_.c_str(), 0700) != 0) throw_errno("cannot make the folder " + folder_);
    lock_ = lock_of(folder_);
    signals_ = std::make_unique<SignalThread>(folder_);
}

Workshop::~Workshop() {
    remove_folder(folder_);
}

std::string Workshop::path_of(const std::string& name) const {
    return folder_ + "/" + name;
}

void put_in_place(const std::string& finished, const std::string& place, Existing existing) {
    sync(finished, O_RDONLY);
    const unsigned flags = existing == Existing::Kept ? RENAME_NOREPLACE : 0;
    if (renameat2(AT_FDCWD, finished.c_str(), AT_FDCWD, place.c_str(), flags) != 0) throw_errno(place);
    sync(folder_of(place), O_RDONLY | O_DIRECTORY);
}

void copy_file(const std::string& from, const std::string& to) {
    const Descriptor source(open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!source) throw_errno(from);
    const Descriptor target(open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!target) throw_errno(to);
    std::array<char, 256 * 1024> buffer;
    for (ssize_t got = 0; (got = read(source.get(), buffer.data(), buffer.size())) != 0;) {
        if (got < 0) throw_errno(from);
        if (!write_all(target.get(), {buffer.data(), static_cast<std::size_t>(got)})) throw_errno(to);
    }
}

void share_like(const std::string& other, const std::string& file) {
    struct stat status {};
    if (stat(other.c_str(), &status) != 0) return;
    if (chmod(file.c_str(), status.st_mode & 0777) != 0) throw_errno(file);
    // An administrator gives the file to the owner of the old one; other users may not, and keep it.
    [[maybe_unused]] const int ignored = geteuid() == 0 ? chown(file.c_str(), status.st_uid, status.st_gid) : 0;
}

}  // namespace holdfast::platform
