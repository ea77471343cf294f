#pragma once

#include <memory>
#include <string>

#include "cli/session.h"

namespace holdfast::cli {

/// Says why tasks wait. Connects once, at the first question: most tasks do not wait.
class WaitingReasons {
public:
    explicit WaitingReasons(const Session& session);
    ~WaitingReasons();
    WaitingReasons(const WaitingReasons&) = delete;
    WaitingReasons& operator=(const WaitingReasons&) = delete;

    /// Continues a sentence that begins with "the task"; empty when it does not wait. `store` reads the task.
    [[nodiscard]] std::string of(store::ClientStore& store, const Uuid& task);

private:
    void connect();

    const Session& session_;
    std::unique_ptr<remote::ServerLink> server_;  // or
    std::unique_ptr<store::Store> store_;
    Duration stale_after_{};
};

}  // namespace holdfast::cli
