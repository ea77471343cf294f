#include "client/lost_submits.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/text.h"
#include "store/relay_store.h"

namespace holdfast::client {

namespace {

constexpr std::size_t asked_at_once = 1000;
constexpr std::size_t named_in_event = 1000;

/// Those of the ids that `find` answers with nullopt.
template <typename Find>
std::vector<Uuid> unknown_of(const std::vector<Uuid>& ids, const Find& find) {
    std::vector<Uuid> unknown;
    for (std::size_t first = 0; first < ids.size(); first += asked_at_once) {
        const auto last = std::min(first + asked_at_once, ids.size());
        const std::vector<Uuid> asked(ids.begin() + static_cast<std::ptrdiff_t>(first),
                                      ids.begin() + static_cast<std::ptrdiff_t>(last));
        const auto found = find(asked);
        for (std::size_t i = 0; i < asked.size(); ++i)
            if (!found[i]) unknown.push_back(asked[i]);
    }
    return unknown;
}

nlohmann::json texts_of(const std::vector<Uuid>& ids) {
    auto texts = nlohmann::json::array();
    for (std::size_t i = 0; i < std::min(ids.size(), named_in_event); ++i) texts.push_back(ids[i].to_string());
    return texts;
}

store::EventRecord event_about(const LostSubmits& lost, const std::string& who) {
    return {.kind = "submits_lost",
            .who = who,
            .message = sentence_about(lost),
            .data = nlohmann::json{{"tasks", texts_of(lost.tasks)}, {"jobs", texts_of(lost.jobs)}}.dump()};
}

bool is_accepted(const SubmitOutcome& outcome) {
    return outcome.status == SubmitStatus::Accepted || outcome.status == SubmitStatus::Existing;
}

class RememberingStore final : public store::RelayStore<RememberingStore> {
public:
    RememberingStore(std::unique_ptr<store::Store> store, std::shared_ptr<SubmitMemory> memory)
        : store_(std::move(store)), memory_(std::move(memory)) {}

    std::vector<SubmitOutcome> submit(const std::vector<store::NewTask>& tasks) override {
        const auto history_before = store_->history();
        return noted(SubmitMemory::Kind::Task, history_before, store_->submit(tasks));
    }
    std::vector<SubmitOutcome> start_jobs(const std::vector<store::NewJob>& jobs) override {
        const auto history_before = store_->history();
        return noted(SubmitMemory::Kind::Job, history_before, store_->start_jobs(jobs));
    }
    store::RetryStatus retry_job(const store::RetryJobParams& params) override {
        const auto history_before = store_->history();
        const auto status = store_->retry_job(params);
        memory_->check(*store_);
        if (status == store::RetryStatus::Started)
            memory_->note(SubmitMemory::Kind::Job, params.new_id, history_before);
        memory_->check(*store_);
        return status;
    }

    std::unique_ptr<store::Watch> watch(store::Topic topic) override { return store_->watch(topic); }
    [[nodiscard]] std::string describe() const override { return store_->describe(); }
    [[nodiscard]] std::int64_t rank() const override { return store_->rank(); }
    [[nodiscard]] std::int64_t history() const override { return store_->history(); }

    template <typename Call>
    auto relay(const char* /*verb*/, store::Effect /*effect*/, const Call& call) {
        const CheckAfterwards check{*this};
        return call(*store_);
    }

private:
    struct CheckAfterwards {
        RememberingStore& store;
        ~CheckAfterwards() { store.memory_->check(*store.store_); }
    };

    std::vector<SubmitOutcome> noted(SubmitMemory::Kind kind, std::int64_t history_before,
                                     std::vector<SubmitOutcome> outcomes) {
        memory_->check(*store_);
        for (const auto& outcome : outcomes)
            if (is_accepted(outcome)) memory_->note(kind, outcome.id, history_before);
        memory_->check(*store_);
        return outcomes;
    }

    const std::unique_ptr<store::Store> store_;
    const std::shared_ptr<SubmitMemory> memory_;
};

}  // namespace

std::string sentence_about(const LostSubmits& lost) {
    const auto counted = [](std::size_t count, std::string_view what) {
        return concat(count, " ", what, count == 1 ? "" : "s");
    };
    const auto what = lost.jobs.empty() ? counted(lost.tasks.size(), "task")
                      : lost.tasks.empty()
                          ? counted(lost.jobs.size(), "job")
                          : concat(counted(lost.tasks.size(), "task"), " and ", counted(lost.jobs.size(), "job"));
    return concat("The store has gone back in time and lost ", what,
                  " that this process had submitted shortly before; submit again what is still wanted");
}

void SubmitMemory::note(Kind kind, const Uuid& id, std::int64_t history, MonotonicTime now) {
    const std::lock_guard lock(mutex_);
    if (!is_asking_) forget_before(now - kept_for);
    submits_.push_back({kind, id, history, now});
    lowest_history_ = std::min(lowest_history_.load(), history);
}

void SubmitMemory::forget_before(MonotonicTime oldest) {
    while (!submits_.empty() && (submits_.front().at < oldest || submits_.size() >= most_kept)) submits_.pop_front();
}

void SubmitMemory::check(store::Store& store, MonotonicTime now) {
    const std::int64_t history = store.history();
    if (history <= lowest_history_) return;
    try {
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock.owns_lock()) return;  // another thread asks at this moment
        is_asking_ = true;
        forget_before(now - kept_at_most);
        auto lost = find_lost(store, history);
        lost.rank = store.rank();
        if (!lost.tasks.empty() || !lost.jobs.empty()) {
            store.append_event(event_about(lost, who_));
            if (tell_) tell_(lost);
        }
        std::set<Uuid> gone(lost.tasks.begin(), lost.tasks.end());
        gone.insert(lost.jobs.begin(), lost.jobs.end());
        std::erase_if(submits_, [&](const Submit& each) { return gone.contains(each.id); });
        for (auto& each : submits_) each.history = std::max(each.history, history);
        lowest_history_ = history;
        is_asking_ = false;
    } catch (const std::exception&) {
        return;  // asked again after the next call
    }
}

LostSubmits SubmitMemory::find_lost(store::Store& store, std::int64_t history) const {
    std::vector<Uuid> tasks, jobs;
    for (const auto& each : submits_)
        if (each.history < history) (each.kind == Kind::Task ? tasks : jobs).push_back(each.id);
    return {.tasks = unknown_of(tasks, [&](const auto& ids) { return store.find(ids); }),
            .jobs = unknown_of(jobs, [&](const auto& ids) { return store.find_jobs(ids); })};
}

std::unique_ptr<store::Store> remembering(std::unique_ptr<store::Store> store, std::shared_ptr<SubmitMemory> memory) {
    return std::make_unique<RememberingStore>(std::move(store), std::move(memory));
}

}  // namespace holdfast::client
