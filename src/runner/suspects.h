#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>

#include "holdfast/uuid.h"

namespace holdfast::runner {

/// The tasks of a worker that may have brought a shared process down. Which of them did is found by running them
/// again in ever smaller company: a task that crashes alone is certainly to blame, so a task that crashes always does
/// not do so for ever on the account of others.
class Suspects {
public:
    /// The process in which this task ran with others died. `company`: how many they were together.
    void add(const Uuid& task, std::size_t company);
    /// The task has ended a run without a crash.
    void clear(const Uuid& task);
    /// How many runs its process may have at once, with it; nullopt: any number, for it is not a suspect.
    [[nodiscard]] std::optional<std::size_t> largest_company(const Uuid& task) const;

private:
    std::map<Uuid, std::size_t> largest_;
    std::deque<Uuid> order_;  // in which they became suspects
};

}  // namespace holdfast::runner
