#include "core/task/clock_trust.h"

#include <algorithm>

#include "base/text.h"

namespace holdfast::core {

ClockTrust trust_clock(const ClockWitness& witness, const ClockLook& look) {
    const bool is_near = witness.trusted_at && look.now - *witness.trusted_at <= longest_unwitnessed;
    const Duration watched = witness.watched + std::max(look.watched, Duration::zero());
    if (is_near || look.is_vouched || watched >= watched_long_enough)
        return {.is_trusted = true, .witness = {.trusted_at = look.now, .watched = {}}};
    return {.is_trusted = false, .witness = {.trusted_at = witness.trusted_at, .watched = watched}};
}

std::string describe_doubt(const ClockTrust& trust, Timestamp now) {
    if (trust.is_trusted) return {};
    const Duration rest = std::chrono::ceil<std::chrono::minutes>(watched_long_enough - trust.witness.watched);
    const std::string since = trust.witness.trusted_at ? concat("was ", format_timestamp(*trust.witness.trusted_at),
                                                                " when it was last seen")
                                                       : std::string("has never been seen before");
    return concat("the store's clock says ", format_timestamp(now), " and ", since,
                  ": nothing is pruned until it has been watched for ", format_duration(rest),
                  " more. If the clock is right, 'holdfast recovery prune --yes' prunes now");
}

}  // namespace holdfast::core
