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
    /// system refuses the start.
    /// `uses_cgroups`: where the system allows it. Without them the runner watches limits, and processes are killed
    /// one by one. `withheld`: the names of environment variables that runners must not inherit.
    explicit KeeperLink(bool uses_cgroups = true, const std::vector<std::string>& withheld = {});
    /// Closes the keeper's socket and waits until the keeper has killed every runner with its processes and exited.
    ~KeeperLink();
    KeeperLink(const KeeperLink&) = delete;
    KeeperLink& operator=(const KeeperLink&) = delete;

    /// Readable when a report has arrived, or when the keeper is gone.
    [[nodiscard]] int socket() const { return socket_.get(); }
    [[nodiscard]] pid_t pid() const { return pid_; }

    /// The keeper keeps a duplicate of the descriptor open for as long as it lives, so a lock held by it stays held
    /// until every process of the runners is dead.
    void hold_open(int descriptor);
    /// When this process is gone, and nothing of its runners is left, the keeper becomes a witness with this text.
    /// Empty: no longer.
    void set_witness(const std::string& testimony);
    /// Sends an order, with descriptors. False when the keeper is gone.
    bool send(const Message& order, const std::vector<int>& descriptors = {});
    /// Does not wait for a keeper that is stopped: that keeper then enforces an earlier deadline.
    void set_fence(Duration deadline);

private:
    Descriptor socket_;
    pid_t pid_ = -1;
};

}  // namespace holdfast::runner
