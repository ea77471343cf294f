#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "server/http/message.h"
#include "store/store.h"

namespace holdfast::api {

/// Whose end somebody waits for.
struct Waited {
    enum class Kind { Task, Job };
    Kind kind = Kind::Task;
    Uuid id = {};
};

/// Those who wait for tasks and jobs to end. No thread waits with them: each look asks about all of them at once.
/// Thread-safe.
class WaitingList {
public:
    /// Throws OVERLOADED when too many wait.
    [[nodiscard]] http::Deferred add(Waited waited, Duration timeout);
    [[nodiscard]] bool is_empty() const;
    /// Answers those whose wait is over.
    void look(store::ClientStore& store);
    /// Answers those whose time is up, when the store could not be asked.
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
    void answer(const Find& find, std::vector<Entry> entries, std::vector<Entry>& answered);

    mutable std::mutex mutex_;
    std::vector<Entry> entries_;  // guarded by mutex_
};

/// {"id", "timed_out", "task"}
[[nodiscard]] http::Response ending_answer(const Uuid& id, const std::optional<store::TaskRecord>& task);
[[nodiscard]] http::Response ending_answer(const Uuid& id, const std::optional<JobInfo>& job);

}  // namespace holdfast::api
