#pragma once

#include <mutex>
#include <string>

#include "holdfast/time.h"

namespace holdfast::api {

/// Something that a server must keep doing, as /readyz tells of it. From any thread.
class VitalSign {
public:
    /// It is well as long as its last success is not older than `patience`.
    explicit VitalSign(Duration patience) : patience_(patience) {}

    void succeeded();
    void failed(const std::string& why);

    struct Check {
        bool ok = false;
        std::string detail = {};  ///< "last done 0.4s ago", "not done yet", "... ago: the store cannot be reached"
    };
    [[nodiscard]] Check check() const;
    /// Since the last success; negative: there was none.
    [[nodiscard]] Duration age() const;

private:
    const Duration patience_;
    mutable std::mutex mutex_;
    Duration last_{-1};  // guarded by mutex_, as is the next
    std::string failure_;
};

}  // namespace holdfast::api
