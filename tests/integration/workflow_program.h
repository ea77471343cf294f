#pragma once

#include <gmock/gmock.h>

#include "integration/place.h"

namespace holdfast::integration {

/// Runs jobs through the program, on every kind of store.
class WorkflowProgramTest : public AnyStoreProgramTest {
protected:
    /// Writes the configuration file.
    void define(const std::string& yaml) const;
    [[nodiscard]] RunningProgram start_worker(const std::string& name = "w") const;
    /// Starts a job; its id.
    [[nodiscard]] std::string run(std::vector<std::string> arguments) const;
    /// The job, and its steps, as `jobs show --json` prints them.
    [[nodiscard]] nlohmann::json job(const std::string& id) const;
    [[nodiscard]] nlohmann::json step(const std::string& id, const std::string& name) const;
    /// Returns when the job is in this state; the test's own time limit is the bound.
    void await(const std::string& id, const std::string& state) const;
    void await_step(const std::string& id, const std::string& name, const std::string& state) const;
};

/// The lines of a text, without how long anything took.
[[nodiscard]] std::vector<std::string> timeless_lines(const std::string& text);

}  // namespace holdfast::integration
