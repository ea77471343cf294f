#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "runner/run_update.h"

struct pollfd;

namespace holdfast::runner {

/// Where the processes of a run tell about it: a Unix socket. Each line that they write is a JSON object with
/// "progress" and "text", or "checkpoint"; each is answered by a line, {} or {"error": "..."}.
class RunSocket {
public:
    /// Listens at `path`. Throws std::system_error.
    RunSocket(const std::string& path, std::int64_t max_payload);

    /// What to wait for.
    void add_to(std::vector<pollfd>& watched) const;
    /// Handles all that is there, without waiting.
    void serve(const std::function<void(RunUpdate)>& accept);

private:
    struct Guest {
        Descriptor socket;
        std::string unread;
    };
    void let_in();
    /// False when the guest has left, or has to.
    bool hear(Guest& guest, const std::function<void(RunUpdate)>& accept) const;

    Descriptor listening_;
    std::int64_t max_payload_;
    std::vector<Guest> guests_;
};

/// From within a run: tells the runner about it, through the socket at `path` ($HOLDFAST_SOCKET). nullopt when it was
/// accepted; else what is wrong, for people.
[[nodiscard]] std::optional<std::string> send_to_run(const std::string& path, const RunUpdate& update);

}  // namespace holdfast::runner
