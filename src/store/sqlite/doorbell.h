#pragma once

#include <memory>
#include <string>

#include "store/sqlite/turnstile.h"
#include "store/store.h"

namespace holdfast::sqlite {

/// Wakes the waiters of all processes by writing a byte to a file beside the database, which they watch with inotify.
/// Rung after COMMIT has returned: a watch on the write-ahead log would wake them before they can see the change.
class Doorbell {
public:
    Doorbell(const std::string& database, store::Topic topic);

    void ring();

private:
    Descriptor bell_;
};

/// `safety_poll`: see OpenParams.
[[nodiscard]] std::unique_ptr<store::Watch> watch_doorbell(const std::string& database, store::Topic topic,
                                                           Duration safety_poll);

}  // namespace holdfast::sqlite
