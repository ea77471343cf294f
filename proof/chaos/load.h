#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "store/job_records.h"
#include "store/task_records.h"

namespace holdfast::chaos {

/// The stream of work, drawn from a seed: tasks of every policy, and jobs of every shape.
class Load {
public:
    explicit Load(std::uint64_t seed);

    [[nodiscard]] store::NewTask next_task(const Uuid& id);
    [[nodiscard]] store::NewJob next_job(const Uuid& id);

private:
    [[nodiscard]] int between(int least, int most);

    std::mt19937_64 random_;
    std::vector<std::string> definitions_;  // of the workflows
};

/// The names of the steps that a step of the load's workflows waits for; empty: none, or no such step.
[[nodiscard]] std::vector<std::string> dependencies_of(std::string_view workflow, std::string_view step);

}  // namespace holdfast::chaos
