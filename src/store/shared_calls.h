#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <vector>

#include "holdfast/time.h"
#include "store/errors.h"

namespace holdfast::store {

/// Lets the calls of several threads share one transaction. A call that comes alone is carried out at once. Calls
/// that come while another is under way wait for its end, and the first of them carries out all of them together.
/// `Item` holds the input of one call and its answer. Thread-safe.
template <typename Item>
class SharedCalls {
public:
    /// `most`: of the calls that share a transaction.
    explicit SharedCalls(std::size_t most) : most_(most) {}

    /// Carries out the item, by this thread or another. `perform(take)` carries out the items that `take()` gives it,
    /// in one transaction that applies all of them or none. It calls take() once, as late as it can, so that it gets
    /// all that have come. What one item has done to a shared transaction is not held against the others:
    /// each is carried out again, alone. What perform() then throws reaches the caller; a store that is unreachable,
    /// or a commit in doubt, reaches each caller whose item was in it. Returns false when the item was not begun
    /// within the patience, and will not be.
    template <typename Perform>
    bool call(Item& item, std::optional<Duration> patience, const Perform& perform) {
        Call mine{item};
        const auto deadline = std::chrono::steady_clock::now() + patience.value_or(Duration::zero());
        std::unique_lock lock(mutex_);
        queue_.push_back(&mine);
        if (!is_led_) appoint(mine);
        for (;;) {
            const auto may_go_on = [&mine] { return mine.leads || mine.is_done; };
            if (!patience || mine.is_begun) {
                mine.changed.wait(lock, may_go_on);
            } else if (!mine.changed.wait_until(lock, deadline, [&] { return may_go_on() || mine.is_begun; })) {
                std::erase(queue_, &mine);
                return false;
            }
            const bool is_late = patience && std::chrono::steady_clock::now() >= deadline;
            if (mine.leads && mine.goes_alone && is_late) {
                std::erase(queue_, &mine);
                hand_over(mine);
                return false;
            }
            if (mine.leads) lead(lock, mine, perform);
            if (!mine.is_done) continue;
            if (mine.failure) std::rethrow_exception(mine.failure);
            return true;
        }
    }

    /// How many calls are not begun, the one that carries out the next ones included.
    [[nodiscard]] std::size_t waiting() {
        const std::lock_guard lock(mutex_);
        return queue_.size();
    }

private:
    struct Call {
        Item& item;
        bool leads = false;     // carries out the next items
        bool is_begun = false;  // is among those that are carried out
        bool goes_alone = false;
        bool is_done = false;
        std::exception_ptr failure = nullptr;
        std::condition_variable changed = {};
    };
    using Group = std::vector<Call*>;

    void appoint(Call& call) {
        is_led_ = true;
        call.leads = true;
        call.changed.notify_one();
    }

    template <typename Perform>
    void lead(std::unique_lock<std::mutex>& lock, Call& mine, const Perform& perform) {
        Group group;
        const auto take = [&] {
            const std::lock_guard taking(mutex_);
            group = next_group(mine);
            std::vector<Item*> items;
            for (Call* each : group) items.push_back(&each->item);
            return items;
        };
        std::exception_ptr failure;
        lock.unlock();
        try {
            perform(take);
        } catch (...) {
            failure = std::current_exception();
        }
        lock.lock();
        if (group.empty()) group = {&mine};
        std::erase(queue_, &mine);
        end(group, failure);
        hand_over(mine);
    }

    void hand_over(Call& leader) {
        leader.leads = false;
        is_led_ = false;
        if (!queue_.empty()) appoint(*queue_.front());
    }

    /// The leader and those behind it, in their order.
    Group next_group(Call& leader) {
        Group group{&leader};
        for (Call* each : queue_)
            if (!leader.goes_alone && !each->goes_alone && each != &leader && group.size() < most_)
                group.push_back(each);
        for (Call* each : group) {
            std::erase(queue_, each);
            each->is_begun = true;
        }
        return group;
    }

    void end(const Group& group, const std::exception_ptr& failure) {
        const bool is_over = !failure || group.size() == 1 || is_of_the_store(failure);
        for (Call* each : group) {
            each->is_begun = false;
            each->goes_alone = !is_over;
            each->is_done = is_over;
            each->failure = is_over ? failure : nullptr;
            if (is_over)
                each->changed.notify_one();
            else
                queue_.push_back(each);
        }
    }

    static bool is_of_the_store(const std::exception_ptr& failure) {
        try {
            std::rethrow_exception(failure);
        } catch (const CommitInDoubt&) {
            return true;
        } catch (const Unreachable&) {
            return true;
        } catch (...) {
            return false;
        }
    }

    const std::size_t most_;
    std::mutex mutex_;
    std::deque<Call*> queue_;  // not begun, in the order of their coming
    bool is_led_ = false;
};

/// Submits of one task each share a transaction, unless their payload has more bytes than this.
inline constexpr std::size_t most_shared_submits = 100;
inline constexpr std::size_t max_shared_payload = 32 << 10;

}  // namespace holdfast::store
