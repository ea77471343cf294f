#pragma once

#include <mutex>
#include <string>

#include "holdfast/time.h"

namespace holdfast::api {

/// Something that a server must keep doing, as /readyz tells of it. From any thread, without waiting for it.
class VitalSign {
public:
    /// It is well as long as its last success is not older than `patience`, and no try since has lasted longer than
    /// `slow_after`.
    explicit VitalSign(Duration patience, Duration slow_after) : patience_(patience), slow_after_(slow_after) {}
    explicit VitalSign(Duration patience) : VitalSign(patience, patience) {}

    /// A try is under way until it has succeeded or failed; to be told by those whose tries may hang.
    void began();
    void succeeded();
    void failed(const std::string& why);

    struct Check {
        bool ok = false;
        std::string detail = {};   ///< for everybody: "last done 0.4s ago", "not done yet", "..., under way for 7s"
        std::string failure = {};  ///< what the last try failed of: may name hosts and files; empty: it did not
    };
    [[nodiscard]] Check check() const;

private:
    [[nodiscard]] bool is_slow() const;  // with mutex_ held

    const Duration patience_;
    const Duration slow_after_;
    mutable std::mutex mutex_;
    Duration last_{-1};      // guarded by mutex_, as are the next
    Duration began_{-1};     // negative: no try is under way
    bool was_slow_ = false;  // the last try that failed
    std::string failure_;
};

}  // namespace holdfast::api
