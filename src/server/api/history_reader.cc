#include "server/api/history_reader.h"

#include <algorithm>
#include <utility>

namespace holdfast::api {

namespace {

constexpr std::int64_t most_unsettled = 10'000;

}  // namespace

std::vector<store::EventRecord> lines_after(store::ClientStore& store, std::int64_t after, std::size_t at_most) {
    constexpr std::size_t page_size = 1000;
    std::vector<store::EventRecord> lines;
    while (lines.size() < at_most) {
        auto page = store.events({.task = {}, .worker = {}, .after_id = after, .limit = page_size});
        const bool is_last = page.size() < page_size;
        if (!page.empty()) after = page.back().id;
        std::move(page.begin(), page.end(), std::back_inserter(lines));
        if (is_last) break;
    }
    return lines;
}

void HistoryReader::begin_now(store::Store& store) {
    told_.clear();
    suspected_ = store.event_writers();
    settled_ = suspected_.newest;
    if (suspected_.writers.empty()) return;
    settled_ = std::max<std::int64_t>(0, settled_ - most_unsettled);
    for (const auto& event : lines_after(store, settled_)) told_.insert(event.id);
}

/// Once every writer of an earlier look has finished, its lines can be read: the history up to that look is final.
std::int64_t HistoryReader::look_for_settled(store::ServerStore& store) {
    store::EventWriters now = store.event_writers();
    std::erase_if(suspected_.writers,
                  [&](const std::string& writer) { return std::ranges::count(now.writers, writer) == 0; });
    if (!suspected_.writers.empty()) return settled_;
    std::int64_t settled = suspected_.newest;
    if (now.writers.empty()) settled = now.newest;
    suspected_ = std::move(now);
    return std::max(settled_, settled);
}

void HistoryReader::settle(std::int64_t up_to) {
    settled_ = up_to;
    told_.erase(told_.begin(), told_.upper_bound(settled_));
    while (std::ssize(told_) > most_unsettled) {
        settled_ = *told_.begin();
        told_.erase(told_.begin());
    }
}

std::vector<store::EventRecord> HistoryReader::read(store::Store& store) {
    const std::int64_t settled = look_for_settled(store);  // first: settled lines are readable from then on
    std::vector<store::EventRecord> fresh = lines_after(store, settled_);
    std::erase_if(fresh, [&](const store::EventRecord& event) { return !told_.insert(event.id).second; });
    settle(settled);
    return fresh;
}

}  // namespace holdfast::api
