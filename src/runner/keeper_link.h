#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/descriptor.h"
#include "runner/messages.h"

namespace holdfast::runner {

/// A worker's keeper, as the worker holds it. Belongs to the thread of the worker's loop.
class KeeperLink {
public:
    /// Starts the keeper: this program again. Must be called before the process has a second thread, by a program
    /// that began with runner_main(). This process becomes a child subreaper, so that nothing escapes it when its
    /// keeper is killed. Throws BadInput when the program did not call runner_main(), std::system_error when the
    /// system refuses.
    /// `uses_cgroups`: where it can. Without them limits are watched, and trees killed, from outside the kernel.
    /// `withheld`: the names of environment variables that runners are not to have in theirs.
    explicit KeeperLink(bool uses_cgroups = true, const std::vector<std::string>& withheld = {});
    /// Lets go of the keeper, and waits until it has killed every runner with all they had started, and has exited.
    ~KeeperLink();
    KeeperLink(const KeeperLink&) = delete;
    KeeperLink& operator=(const KeeperLink&) = delete;

    /// Readable when there are reports, or when the keeper is gone.
    [[nodiscard]] int socket() const { return socket_.get(); }
    [[nodiscard]] pid_t pid() const { return pid_; }

    /// The keeper keeps a duplicate open for as long as it lives: what is locked by it stays locked until every
    /// process of the runners is dead.
    void hold_open(int descriptor);
    /// Both descriptors are the runner's ends. False when the keeper is gone.
    bool spawn(const SpawnRunner& order, int task_end, int control_end);
    bool kill(engine::RunnerId runner);
    /// What the runner is given from now on must end at the deadline, or need not.
    bool guard(const GuardRunner& order);
    /// Does not wait for a keeper that does not listen: it knows an earlier deadline then.
    void set_fence(Duration deadline);

private:
    Descriptor socket_;
    pid_t pid_ = -1;
};

}  // namespace holdfast::runner
