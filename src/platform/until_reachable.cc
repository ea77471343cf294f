#include "platform/until_reachable.h"

#include <optional>

#include "base/text.h"
#include "engine/backoff.h"
#include "engine/log_lines.h"
#include "store/errors.h"

namespace holdfast::platform {

namespace {

constexpr Duration longest_pause = std::chrono::seconds(30);
constexpr Duration say_every = std::chrono::seconds(30);

}  // namespace

bool until_reachable(ServiceLoop& loop, Random& random, Log& log, const std::function<bool()>& gives_up,
                     const std::function<void()>& work) {
    engine::Backoff backoff(random);
    std::optional<Duration> away_since;
    Duration say_at{};
    while (!gives_up()) {
        try {
            work();
            if (away_since) log.write(engine::log_lines::store_back(machine_time() - *away_since));
            return true;
        } catch (const store::Unavailable& fault) {
            const Duration pause = backoff.next(longest_pause);
            if (!away_since) away_since = machine_time();
            if (machine_time() >= say_at) {
                log.write({LogLevel::Warning,
                           concat("The store does not answer: ", fault.what()),
                           {{"try_again_in", format_duration(std::chrono::ceil<std::chrono::milliseconds>(pause))}}});
                say_at = machine_time() + say_every;
            }
            const Duration until = machine_time() + pause;
            for (Duration now{}; !gives_up() && (now = machine_time()) < until;) loop.turn(until - now);
        }
    }
    return false;
}

}  // namespace holdfast::platform
