#include "store/shared_calls.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <semaphore>
#include <thread>

namespace holdfast::store {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::SizeIs;

struct Item {
    int input = 0;
    int answer = 0;
};

/// Calls of several threads. The first one is under way until it is let go, so that those after it come meanwhile.
class SharedCallsTest : public testing::Test {
protected:
    using Items = std::vector<Item*>;

    ~SharedCallsTest() override { join(); }

    void carry_out(const Items& items) {
        std::vector<int> inputs;
        for (const Item* item : items) inputs.push_back(item->input);
        {
            const std::lock_guard lock(mutex_);
            groups.push_back(inputs);
        }
        if (inputs == std::vector{occupant}) {
            is_under_way.release();
            may_end.acquire();
        } else {
            on_group(inputs);
        }
        for (Item* item : items) item->answer = -item->input;
    }
    /// Answers 0 when the patience ran out.
    int call(int input, std::optional<Duration> patience = std::nullopt) {
        Item item{input};
        const bool was_begun = calls.call(item, patience, [this](const auto& take) {
            before_take();
            carry_out(take());
        });
        return was_begun ? item.answer : 0;
    }
    /// What a call answers; 1000: the store is unreachable, 2000: a commit is in doubt, 3000: it is the call's fault.
    int outcome_of(int input) {
        try {
            return call(input);
        } catch (const CommitInDoubt&) {
            return 2000;
        } catch (const Unreachable&) {
            return 1000;
        } catch (const Unavailable&) {
            return 3000;
        }
    }
    /// Begins a call that stays under way.
    void occupy() {
        threads.emplace_back([this] { call(occupant); });
        is_under_way.acquire();
    }
    /// Begins calls one after the other, behind the one that is under way.
    void queue(const std::vector<int>& inputs) {
        for (const int input : inputs) {
            threads.emplace_back([this, input] {
                const int outcome = outcome_of(input);
                const std::lock_guard lock(mutex_);
                outcomes[input] = outcome;
            });
            const auto sought = ++queued_;
            while (calls.waiting() < sought) std::this_thread::yield();
        }
    }
    void join() {
        for (auto& thread : threads) thread.join();
        threads.clear();
        queued_ = 0;
    }

    static constexpr int occupant = 1;
    SharedCalls<Item> calls{4};
    std::function<void(const std::vector<int>&)> on_group = [](const std::vector<int>&) {};
    std::function<void()> before_take = [] {};
    std::vector<std::vector<int>> groups;  ///< the inputs that were carried out together, in order
    std::map<int, int> outcomes;
    std::vector<std::thread> threads;
    std::binary_semaphore is_under_way{0}, may_end{0};

private:
    std::mutex mutex_;
    std::size_t queued_ = 0;
};

TEST_F(SharedCallsTest, CarryOutACallThatComesAloneByItself) {
    EXPECT_EQ(call(7), -7);
    EXPECT_EQ(call(8), -8);
    EXPECT_THAT(groups, ElementsAre(ElementsAre(7), ElementsAre(8)));
}

TEST_F(SharedCallsTest, CarryOutTogetherInOrderWhatComesWhileACallIsUnderWay) {
    occupy();
    queue({2, 3, 4});
    may_end.release();
    join();
    EXPECT_THAT(groups, ElementsAre(ElementsAre(1), ElementsAre(2, 3, 4)));
    EXPECT_EQ(outcomes, (std::map<int, int>{{2, -2}, {3, -3}, {4, -4}}));
}

TEST_F(SharedCallsTest, ShareAtMostAsManyAsTheyMay) {
    occupy();
    queue({2, 3, 4, 5, 6, 7});
    may_end.release();
    join();
    EXPECT_THAT(groups, ElementsAre(ElementsAre(1), ElementsAre(2, 3, 4, 5), ElementsAre(6, 7)));
}

TEST_F(SharedCallsTest, TakeWhatCameBeforeTheLastMoment) {
    occupy();
    queue({2});
    std::binary_semaphore has_begun{0}, may_take{0};
    before_take = [&] {
        has_begun.release();
        may_take.acquire();
    };
    may_end.release();
    has_begun.acquire();
    std::thread latecomer([&] { call(3); });
    while (calls.waiting() < 2) std::this_thread::yield();
    may_take.release();
    join();
    latecomer.join();
    EXPECT_THAT(groups, ElementsAre(ElementsAre(1), ElementsAre(2, 3)));
}

TEST_F(SharedCallsTest, FailOnlyTheCallThatIsToBlame) {
    occupy();
    queue({2, 3, 4});
    on_group = [](const std::vector<int>& inputs) {
        if (std::ranges::find(inputs, 3) != inputs.end()) throw Unavailable("three");
    };
    may_end.release();
    join();
    EXPECT_EQ(outcomes, (std::map<int, int>{{2, -2}, {3, 3000}, {4, -4}}));
    EXPECT_THAT(groups,
                ElementsAre(ElementsAre(1), ElementsAre(2, 3, 4), ElementsAre(2), ElementsAre(3), ElementsAre(4)));
}

TEST_F(SharedCallsTest, TellEachThatTheCommitIsInDoubtOrTheStoreUnreachable) {
    for (const bool is_in_doubt : {true, false}) {
        groups.clear();
        occupy();
        queue({2, 3, 4});
        on_group = [&](const std::vector<int>& inputs) {
            if (inputs.size() == 1) return;
            if (is_in_doubt) throw CommitInDoubt("lost");
            throw Unreachable("gone");
        };
        may_end.release();
        join();
        const int outcome = is_in_doubt ? 2000 : 1000;
        EXPECT_EQ(outcomes, (std::map<int, int>{{2, outcome}, {3, outcome}, {4, outcome}}));
        EXPECT_THAT(groups, SizeIs(2)) << "none of them was carried out again";
    }
}

TEST_F(SharedCallsTest, HoldAFailureBeforeTheTransactionAgainstItsCallerAlone) {
    occupy();
    queue({2, 3});
    bool is_first = true;
    before_take = [&] {
        if (std::exchange(is_first, false)) throw Unreachable("no turn");
    };
    may_end.release();
    join();
    EXPECT_EQ(outcomes, (std::map<int, int>{{2, 1000}, {3, -3}}));
}

TEST_F(SharedCallsTest, ForgetACallWhosePatienceEndsBeforeItIsBegun) {
    occupy();
    EXPECT_EQ(call(2, Duration::zero()), 0);
    queue({3});
    may_end.release();
    join();
    EXPECT_THAT(groups, ElementsAre(ElementsAre(1), ElementsAre(3)));
}

TEST_F(SharedCallsTest, LetACallThatWasBegunEndAfterItsPatience) {
    occupy();
    std::binary_semaphore is_begun{0}, may_finish{0};
    int answer = 0;
    std::thread leader([&] { call(2); });
    while (calls.waiting() < 1) std::this_thread::yield();
    // The leader, which was before it, holds it up until its patience is over.
    constexpr auto patience = 100ms;
    std::chrono::steady_clock::time_point over;
    std::thread follower([&] {
        over = std::chrono::steady_clock::now() + patience;
        answer = call(3, patience);
    });
    while (calls.waiting() < 2) std::this_thread::yield();
    on_group = [&](const std::vector<int>& inputs) {
        if (inputs.size() < 2) return;
        is_begun.release();
        may_finish.acquire();
    };
    may_end.release();
    is_begun.acquire();
    std::this_thread::sleep_until(over + 1ms);
    may_finish.release();
    leader.join();
    follower.join();
    join();
    EXPECT_EQ(answer, -3);
}

TEST_F(SharedCallsTest, CarryOutEachOfManyCallsExactlyOnce) {
    constexpr int callers = 8, rounds = 500, first = occupant + 1;
    std::atomic<int> wrong = 0;
    std::atomic<int> carried_out = 0;
    on_group = [&](const std::vector<int>& inputs) {
        if (inputs.size() > 1 && inputs.front() % 7 == 0) throw Unavailable("once more, alone");
        carried_out += static_cast<int>(inputs.size());
    };
    for (int caller = 0; caller < callers; ++caller)
        threads.emplace_back([&, caller] {
            for (int i = 0; i < rounds; ++i)
                if (const int input = first + caller * rounds + i; call(input) != -input) ++wrong;
        });
    join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(carried_out, callers * rounds);
}

}  // namespace
}  // namespace holdfast::store
