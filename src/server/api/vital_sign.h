#pragma once

#include <mutex>
#include <string>

#include "holdfast/time.h"

namespace holdfast::api {

/// The health of an activity that the server must keep doing, as /readyz reports it. Thread-safe; check() returns at
/// once, even while the activity hangs.
class VitalSign {
public:
    /// The activity is healthy while its last success is at most `patience` old, and every attempt since then took at
    /// most `slow_after`.
    explicit VitalSign(Duration patience, Duration slow_after) : patience_(patience), slow_after_(slow_after) {}
    explicit VitalSign(Duration patience) : VitalSign(patience, patience) {}

    /// Starts an attempt, which lasts until succeeded() or failed(). An activity whose attempts may hang calls it.
    void began();
    void succeeded();
    void failed(const std::string& why);

    struct Check {
        bool ok = false;
        bool is_out = false;       ///< not ok although it was tried: an attempt failed, or takes too long
        std::string detail = {};   ///< for any client: "last done 0.4s ago", "not done yet", "..., under way for 7s"
        std::string failure = {};  ///< why the last attempt failed (may name hosts and files); empty: it did not
    };
    [[nodiscard]] Check check() const;

private:
    [[nodiscard]] bool is_slow() const;  // with mutex_ held

    const Duration patience_;
    const Duration slow_after_;
    mutable std::mutex mutex_;
    Duration last_{-1};      // guarded by mutex_, as are the members below
    Duration began_{-1};     // negative: no attempt is under way
    bool was_slow_ = false;  // whether a failed attempt since the last success was slow
    std::string failure_;
};

}  // namespace holdfast::api
