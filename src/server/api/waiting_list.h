#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "server/api/answers.h"
#include "store/store.h"

namespace holdfast::api {

/// The task or job whose end a client waits for.
struct Waited {
    enum class Kind { Task, Job };
    Kind kind = Kind::Task;
    Uuid id = {};
};

/// The clients that wait for tasks and jobs to end. They do not occupy threads: each look() reads the state of all
/// tasks and jobs together. Thread-safe.
class WaitingList {
public:
    /// Returns the answer, to be completed later. Throws OVERLOADED when too many clients wait.
    [[nodiscard]] http::Deferred add(Waited waited, Duration timeout);
    [[nodiscard]] bool is_empty() const;
    /// Answers the clients whose task or job has ended or is gone, or whose timeout has passed.
    void look(store::ClientStore& store);
    /// Answers STORE_UNAVAILABLE to the clients whose timeout has passed. Live calls it while the store is
    /// unreachable.
    void give_up_overdue();
    void give_up_all(const std::string& why);

private:
    using Moment = std::chrono::steady_clock::time_point;
    struct Entry {
        Waited waited;
        Moment until;
        std::shared_ptr<http::DeferredReply> reply;
    };

    [[nodiscard]] std::vector<Entry> entries();
    void remove_answered(const std::vector<Entry>& answered);
    template <typename Find>
    void answer_found(const Find& find, std::vector<Entry> entries, std::vector<Entry>& answered);

    mutable std::mutex mutex_;
    std::vector<Entry> entries_;  // guarded by mutex_
};

/// Returns {"id", "timed_out", "task"}; for a job "job" in place of "task". Without a record, the wait timed out.
template <typename Record>
[[nodiscard]] http::Response ending_answer(const std::string& kind, const Uuid& id,
                                           const std::optional<Record>& ended) {
    return answer(
        {{"id", id.to_string()}, {"timed_out", !ended}, {kind, views::Form<std::optional<Record>>::write(ended)}});
}

}  // namespace holdfast::api
