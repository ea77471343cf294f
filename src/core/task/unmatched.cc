#include "core/task/unmatched.h"

#include "base/assert.h"

namespace holdfast::core {

UnmatchedRule rule_for(Unmatched says, UnmatchedRule steps) {
    switch (says) {
        case Unmatched::Wait:
            return UnmatchedRule::Wait;
        case Unmatched::Fail:
            return UnmatchedRule::Fail;
        case Unmatched::Auto:
            return steps;
    }
    HOLDFAST_ASSERT(false);
}

bool fails_unmatched(UnmatchedRule rule, const RouteSeen& route, Duration grace) {
    switch (rule) {
        case UnmatchedRule::Wait:
            return false;
        case UnmatchedRule::Fail:
            return !route.served && route.unserved_for > grace;
        case UnmatchedRule::Known:
            return !route.served && !route.known && route.unknown_for > grace;
    }
    HOLDFAST_ASSERT(false);
}

}  // namespace holdfast::core
