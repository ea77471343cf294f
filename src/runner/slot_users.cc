#include "runner/slot_users.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/text.h"
#include "base/throw_errno.h"
#include "holdfast/errors.h"

namespace holdfast::runner {

SlotUsers::SlotUsers(const std::optional<core::RunAs>& run_as) : run_as_(run_as) {
    if (!run_as_ || run_as_->user.empty()) return;
    auto account = platform::find_account(run_as_->user);
    if (!account) throw BadInput("worker.run_as: " + account.error());
    account_ = std::move(account).value();
}

std::optional<platform::Identity> SlotUsers::take(engine::RunnerId runner) {
    if (!run_as_) return std::nullopt;
    if (!run_as_->user.empty()) return account_;
    for (std::uint64_t id = run_as_->first; id <= run_as_->last; ++id) {
        const auto user = static_cast<uid_t>(id);
        if (!taken_.insert(user).second) continue;
        users_[runner] = user;
        return platform::Identity{.user = user, .group = user, .is_exclusive = true};
    }
    errno = EAGAIN;
    throw_errno("every user id of run_as is in use");
}

void SlotUsers::give_back(engine::RunnerId runner) {
    const auto found = users_.find(runner);
    if (found == users_.end()) return;
    taken_.erase(found->second);
    users_.erase(found);
}

namespace {

void check_users_are_free(const core::RunAs& run_as) {
    if (run_as.user.empty() && geteuid() >= run_as.first && geteuid() <= run_as.last)
        throw BadInput(concat("worker.run_as: the uids include ", geteuid(), ", the user of the worker itself"));
    if (!run_as.user.empty()) return;
    const auto found = platform::find_process_of_users(run_as.first, run_as.last);
    if (found.pid != 0)
        throw BadInput(concat("worker.run_as: the process ", found.pid, " runs as user ", found.user,
                              ", which would be killed after a run; give this worker uids that nothing else uses"));
}

}  // namespace

void check_privileges(const std::optional<core::RunAs>& run_as, std::int64_t scratch_bytes) {
    if (!run_as && scratch_bytes == 0) return;
    const auto missing = platform::missing_capabilities(scratch_bytes > 0);
    if (!missing.empty())
        throw BadInput(concat("worker.", run_as ? "run_as" : "scratch",
                              " needs a worker that is root or has the capabilities ", join(missing, ", "),
                              ", which this one (user ", geteuid(),
                              ") lacks; start it as root, give it these, or remove the setting"));
    if (run_as) check_users_are_free(*run_as);
}

Descriptor lock_users(const std::optional<core::RunAs>& run_as) {
    if (!run_as || !run_as->user.empty()) return {};
    const char* runtime = std::getenv("RUNTIME_DIRECTORY");  // of systemd, for a worker that is not root
    const std::string path = concat(geteuid() == 0 || runtime == nullptr ? "/run" : runtime, "/holdfast-users.lock");
    Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) throw BadInput(concat("worker.run_as: cannot open ", path, ": ", strerror(errno)));
    // A byte for each id: ranges of two workers exclude each other exactly where they overlap.
    struct flock range {};
    range.l_type = F_WRLCK;
    range.l_start = run_as->first;
    range.l_len = static_cast<off_t>(run_as->count());
    if (fcntl(file.get(), F_OFD_SETLK, &range) != 0)
        throw BadInput(concat("worker.run_as: another worker on this machine has one of the uids ", run_as->first,
                              "-", run_as->last, "; give each worker uids of its own"));
    return file;
}

}  // namespace holdfast::runner
