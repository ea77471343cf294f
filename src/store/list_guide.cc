#include "store/list_guide.h"

namespace holdfast::store {

bool ChosenGuide::leads_to(TaskState state) const {
    if (by == ListGuide::Order || !is_terminal(state)) return false;
    return is_rare || state == TaskState::Completed;
}

ChosenGuide choose_guide(const TaskFilter& filter, const std::function<bool(ListGuide)>& is_rare) {
    std::vector<ListGuide> given;
    if (!filter.worker.is_nil()) given.push_back(ListGuide::Worker);
    if (!filter.name.empty()) given.push_back(ListGuide::Name);
    if (!filter.queue.empty()) given.push_back(ListGuide::Queue);
    if (given.empty()) return {};
    for (const ListGuide guide : given)
        if (is_rare(guide)) return {.by = guide, .is_rare = true};
    return {.by = given.front(), .is_rare = false};
}

}  // namespace holdfast::store
