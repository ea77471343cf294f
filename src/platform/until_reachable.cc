#include "platform/until_reachable.h"

#include "base/text.h"
#include "engine/backoff.h"
#include "store/errors.h"

namespace holdfast::platform {

namespace {

constexpr Duration longest_pause = std::chrono::seconds(30);

}  // namespace

bool until_reachable(ServiceLoop& loop, Random& random, Log& log, const std::function<bool()>& gives_up,
                     const std::function<void()>& work) {
    engine::Backoff backoff(random);
    while (!gives_up()) {
        try {
            work();
            return true;
        } catch (const store::Unavailable& fault) {
            const Duration pause = backoff.next(longest_pause);
            log.write({LogLevel::Warning,
                       concat("The store does not answer: ", fault.what()),
                       {{"try_again_in", format_duration(std::chrono::ceil<std::chrono::milliseconds>(pause))}}});
            const Duration until = machine_time() + pause;
            for (Duration now{}; !gives_up() && (now = machine_time()) < until;) loop.turn(until - now);
        }
    }
    return false;
}

}  // namespace holdfast::platform
