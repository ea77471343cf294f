#include "engine/worker/delivered.h"

#include <algorithm>
#include <utility>

namespace holdfast::engine {

namespace {

std::size_t size_of(const store::FinishedRun& outcome) {
    return outcome.result.size() + outcome.error.message.size() + outcome.error.data.size();
}

}  // namespace

void Delivered::add(store::FinishedRun outcome, Duration now) {
    bytes_ += size_of(outcome);
    kept_.push_back({std::move(outcome), now});
    while (!kept_.empty() && (kept_.size() + due_.size() > most_outcomes || bytes_ > most_bytes)) {
        bytes_ -= size_of(kept_.front().outcome);
        kept_.pop_front();
    }
}

void Delivered::forget_old(Duration intact) {
    while (!kept_.empty() && kept_.front().at + kept_for < intact) {
        bytes_ -= size_of(kept_.front().outcome);
        kept_.pop_front();
    }
}

void Delivered::make_due(store::FinishedRun outcome) {
    const store::Lease lease = outcome.lease.lease;
    const std::size_t size = size_of(outcome);
    if (!due_.try_emplace(lease, std::move(outcome)).second) bytes_ -= size;
    if (!counts_) counts_.emplace();
}

std::size_t Delivered::deliver_all_again() {
    for (Kept& each : kept_) make_due(std::move(each.outcome));
    kept_.clear();
    return due_.size();
}

bool Delivered::deliver_again(const store::TaskLease& lease) {
    const auto due = due_.find(lease.lease);
    if (due != due_.end() && due->second.lease == lease) return true;
    const auto kept = std::ranges::find_if(kept_, [&](const Kept& each) { return each.outcome.lease == lease; });
    if (kept == kept_.end()) return false;
    make_due(std::move(kept->outcome));
    kept_.erase(kept);
    return true;
}

std::vector<store::FinishedRun> Delivered::next_batch() const {
    std::vector<store::FinishedRun> batch;
    std::size_t bytes = 0;
    for (const auto& [lease, outcome] : due_) {
        if (batch.size() == batch_outcomes || (!batch.empty() && bytes + size_of(outcome) > batch_bytes)) break;
        bytes += size_of(outcome);
        batch.push_back(outcome);
    }
    return batch;
}

void Delivered::answered(const store::TaskLease& lease, store::Fenced fenced, Duration now) {
    auto answered = due_.extract(lease.lease);
    if (answered.empty()) return;
    bytes_ -= size_of(answered.mapped());
    if (fenced == store::Fenced::LeaseLost) {
        ++counts_->lost;
        return;
    }
    ++(fenced == store::Fenced::Already ? counts_->already : counts_->applied);
    add(std::move(answered.mapped()), now);
}

std::optional<Delivered::Counts> Delivered::take_counts() {
    if (has_due()) return std::nullopt;
    return std::exchange(counts_, std::nullopt);
}

}  // namespace holdfast::engine
