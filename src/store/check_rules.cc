#include "store/check_rules.h"

#include <algorithm>

#include "base/assert.h"
#include "base/text.h"

namespace holdfast::store {

const RuleText& text_of(CheckRule rule) {
    const auto* const found = std::ranges::find(check_rules, rule, &RuleText::rule);
    HOLDFAST_ASSERT(found != check_rules.end());
    return *found;
}

void CheckReport::add(CheckRule rule, const std::string& offender, std::int64_t count) {
    auto place = std::ranges::lower_bound(violations, rule, {}, &Violation::rule);
    if (place == violations.end() || place->rule != rule) place = violations.insert(place, {rule, 0, {}});
    place->count += count;
    if (place->offenders.size() < most_offenders_shown) place->offenders.push_back(offender);
}

bool CheckReport::violates(CheckRule rule) const {
    return std::ranges::find(violations, rule, &Violation::rule) != violations.end();
}

std::string offender_text(const std::string& id, std::string_view wrong) {
    return concat(id, id.empty() || wrong.empty() ? "" : ": ", wrong);
}

}  // namespace holdfast::store
