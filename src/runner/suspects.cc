#include "runner/suspects.h"

#include <algorithm>

namespace holdfast::runner {

namespace {
constexpr std::size_t most_suspects = 10'000;
constexpr std::size_t parts = 8;  // in which a company is split after a crash
}  // namespace

void Suspects::add(const Uuid& task, std::size_t company) {
    const std::size_t largest = std::max<std::size_t>(company / parts, 1);
    if (largest_.insert_or_assign(task, largest).second) order_.push_back(task);
    for (; order_.size() > most_suspects; order_.pop_front()) largest_.erase(order_.front());
}

void Suspects::clear(const Uuid& task) {
    if (largest_.erase(task) > 0) std::erase(order_, task);
}

std::optional<std::size_t> Suspects::largest_company(const Uuid& task) const {
    const auto found = largest_.find(task);
    return found == largest_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace holdfast::runner
