#include "core/host_choice.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace holdfast::core {

namespace {

using namespace std::chrono_literals;

constexpr Duration shortest_pause = 100ms;
constexpr Duration longest_pause = 1s;

std::vector<std::size_t> best_writable(const std::vector<HostAnswer>& answers) {
    std::vector<std::size_t> best;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (!answers[i].accepts_writes) continue;
        const auto highest = best.empty() ? 0 : answers[best.front()].incarnation.rank;
        if (answers[i].incarnation.rank < highest) continue;
        if (answers[i].incarnation.rank > highest) best.clear();
        best.push_back(i);
    }
    return best;
}

/// A host whose history is unknown may have the same one.
bool differ(const HostAnswer& one, const HostAnswer& other) {
    const auto& [a, b] = std::pair(one.incarnation.nonce, other.incarnation.nonce);
    return !a.is_nil() && !b.is_nil() && a != b;
}

std::string refusal_of(const HostAnswer& one, const HostAnswer& other) {
    return concat("the hosts ", one.host, " and ", other.host,
                  " both accept writes, with different histories: stop the one that is not the primary, or remove it "
                  "from the URL");
}

}  // namespace

HostChoice choose_host(const std::vector<HostAnswer>& answers, const Uuid& known_nonce) {
    auto best = best_writable(answers);
    if (best.empty()) return {};
    const auto is_other = [&](std::size_t i) { return answers[i].incarnation.nonce != known_nonce; };
    if (!known_nonce.is_nil() && !std::all_of(best.begin(), best.end(), is_other)) std::erase_if(best, is_other);
    for (const std::size_t i : best)
        for (const std::size_t j : best)
            if (differ(answers[i], answers[j])) return {std::nullopt, refusal_of(answers[i], answers[j])};
    const auto is_older = [&](std::size_t i, std::size_t j) { return answers[i].timeline < answers[j].timeline; };
    return {*std::max_element(best.begin(), best.end(), is_older), ""};
}

bool is_newer(const HostAnswer& answer, const LastUse& last) {
    if (last.incarnation.rank == 0) return false;
    if (answer.incarnation.rank > last.incarnation.rank) return true;
    return answer.incarnation == last.incarnation && last.timeline != 0 && answer.timeline > last.timeline;
}

Duration pause_before_connect(int failures, std::uint64_t random) {
    if (failures <= 0) return Duration::zero();
    const auto whole = std::min(shortest_pause * (1 << std::min(failures - 1, 10)), longest_pause);
    const auto quarter = static_cast<std::uint64_t>(whole.count()) / 4;
    return std::max(shortest_pause, whole - Duration(static_cast<std::int64_t>(random % (quarter + 1))));
}

}  // namespace holdfast::core
