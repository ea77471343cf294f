#include "server/api/waiting_list.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "views/job.h"

namespace holdfast::api {

namespace {

using Steady = std::chrono::steady_clock;

constexpr std::size_t most_waiting = 10'000;
constexpr std::size_t asked_at_once = 500;

/// Returns the answer that ends a wait, given the record that was found; nullopt: the client keeps waiting.
template <typename Record>
std::optional<http::Response> verdict(const Waited& waited, Steady::time_point until,
                                      const std::optional<Record>& found) {
    if (!found) return Problem("NOT_FOUND", concat(waited.id.to_string(), " is not there any more")).response();
    const char* const kind = waited.kind == Waited::Kind::Task ? "task" : "job";
    if (is_terminal(found->state)) return ending_answer(kind, waited.id, found);
    if (Steady::now() >= until) return ending_answer(kind, waited.id, std::optional<Record>());
    return std::nullopt;
}

}  // namespace

http::Deferred WaitingList::add(Waited waited, Duration timeout) {
    const std::lock_guard lock(mutex_);
    if (entries_.size() >= most_waiting)
        throw Problem("OVERLOADED", "too many wait already; ask for the task itself every now and then")
            .with_header("retry-after", "5");
    auto reply = std::make_shared<http::DeferredReply>();
    entries_.push_back({waited, Steady::now() + timeout, reply});
    return {std::move(reply)};
}

bool WaitingList::is_empty() const {
    const std::lock_guard lock(mutex_);
    return entries_.empty();
}

std::vector<WaitingList::Entry> WaitingList::entries() {
    const std::lock_guard lock(mutex_);
    std::erase_if(entries_, [](const Entry& entry) { return entry.reply->abandoned(); });
    return entries_;
}

void WaitingList::remove_answered(const std::vector<Entry>& answered) {
    const std::lock_guard lock(mutex_);
    std::erase_if(entries_, [&](const Entry& entry) {
        return std::ranges::find(answered, entry.reply, &Entry::reply) != answered.end();
    });
}

template <typename Find>
void WaitingList::answer_found(const Find& find, std::vector<Entry> entries, std::vector<Entry>& answered) {
    std::vector<Uuid> ids;
    for (const Entry& entry : entries) ids.push_back(entry.waited.id);
    const auto found = find(ids);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        auto response = verdict(entries[i].waited, entries[i].until, found[i]);
        if (!response) continue;
        entries[i].reply->complete(*std::move(response));
        answered.push_back(std::move(entries[i]));
    }
}

void WaitingList::look(store::ClientStore& store) {
    std::vector<Entry> all = entries();
    const auto jobs_begin = std::partition(
        all.begin(), all.end(), [](const Entry& entry) { return entry.waited.kind == Waited::Kind::Task; });
    std::vector<Entry> answered;
    const auto in_parts = [&](auto begin, auto end, const auto& find) {
        while (begin != end) {
            const auto next = begin + std::min<std::ptrdiff_t>(asked_at_once, end - begin);
            answer_found(find, {begin, next}, answered);
            begin = next;
        }
    };
    in_parts(all.begin(), jobs_begin, [&](const std::vector<Uuid>& ids) { return store.find(ids); });
    in_parts(jobs_begin, all.end(), [&](const std::vector<Uuid>& ids) { return store.find_jobs(ids); });
    if (!answered.empty()) remove_answered(answered);
}

void WaitingList::give_up_overdue() {
    std::vector<Entry> answered;
    for (Entry& entry : entries()) {
        if (Steady::now() < entry.until) continue;
        entry.reply->complete(problem_of(Unavailable(""))->response());
        answered.push_back(entry);
    }
    remove_answered(answered);
}

void WaitingList::give_up_all(const std::string& why) {
    std::vector<Entry> all;
    {
        const std::lock_guard lock(mutex_);
        all = std::exchange(entries_, {});
    }
    for (Entry& entry : all)
        entry.reply->complete(Problem("OVERLOADED", why).with_header("retry-after", "1").response());
}

}  // namespace holdfast::api
