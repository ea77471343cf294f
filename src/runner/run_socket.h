#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "holdfast/result.h"

struct pollfd;

namespace holdfast::runner {

/// What a run reports about itself.
struct RunUpdate {
    std::optional<double> fraction;  ///< 0..1
    std::string text;
    std::optional<std::string> checkpoint;  ///< JSON text
};

/// Why it cannot be accepted, as a message for people; nullopt when it can.
[[nodiscard]] std::optional<std::string> update_defect(const RunUpdate& update, std::int64_t max_payload);

// The lines of the protocol of a RunSocket.

[[nodiscard]] std::string update_line(const RunUpdate& update);
/// The error is a message for people.
[[nodiscard]] Result<RunUpdate, std::string> parse_update(const std::string& line, std::int64_t max_payload);

[[nodiscard]] std::string answer_line(const std::optional<std::string>& error);
/// The error in the answer; nullopt when the update was accepted.
[[nodiscard]] std::optional<std::string> parse_answer(const std::string& line);

/// A Unix socket on which the processes of a run report progress. Each line that they write is a JSON object with
/// "progress" and "text", or "checkpoint". The answer to each is a line, {} or {"error": "..."}.
class RunSocket {
public:
    /// Listens at `path`. Accepts only processes of the user `peer`; nullopt: of every user that can reach the path.
    /// Throws std::system_error.
    RunSocket(const std::string& path, std::int64_t max_payload, std::optional<uid_t> peer);

    /// Adds its descriptors to those that the caller polls.
    void add_to(std::vector<pollfd>& watched) const;
    /// Handles everything that has arrived. Does not block.
    void serve(const std::function<void(RunUpdate)>& accept);

private:
    struct Guest {
        Descriptor socket;
        std::string unread;
    };
    void let_in();
    /// False when the guest has left, or must be disconnected.
    bool hear(Guest& guest, const std::function<void(RunUpdate)>& accept) const;

    Descriptor listening_;
    std::int64_t max_payload_;
    std::optional<uid_t> peer_;
    std::vector<Guest> guests_;
};

/// For a process of a run: sends the update to the runner through the socket at `path` ($HOLDFAST_SOCKET). nullopt
/// when it was accepted; else what is wrong, as a message for people.
[[nodiscard]] std::optional<std::string> send_to_run(const std::string& path, const RunUpdate& update);

}  // namespace holdfast::runner
