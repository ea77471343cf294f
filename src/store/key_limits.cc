#include "store/key_limits.h"

#include <map>
#include <string_view>
#include <utility>

namespace holdfast::store {

void tell_last_limits(const std::vector<NewTask>& tasks, std::vector<SubmitOutcome>& outcomes) {
    std::map<std::pair<std::string_view, std::string_view>, int> last;
    for (std::size_t i = outcomes.size(); i-- > 0;) {
        auto& limit = outcomes[i].concurrency_limit;
        if (limit) limit = last.try_emplace({tasks[i].queue, tasks[i].concurrency->key}, *limit).first->second;
    }
}

}  // namespace holdfast::store
