#include <stdlib.h>

#include "tests/worker/worker_fixture.h"

namespace holdfast::worker_test {
namespace {

class WorkerEnvironment : public WorkerTest {};
HOLDFAST_ON_EVERY_STORE(WorkerEnvironment);

TEST_P(WorkerEnvironment, FunctionsDoNotSeeTheStoreOrItsPassword) {
    const std::map<std::string, std::string> variables = {
        {"HOLDFAST_STORE", url}, {"HOLDFAST_TOKEN", "token"}, {"PGPASSWORD", "password"}, {"COLOUR", "blue"}};
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    start_worker();
    for (const auto& [name, value] : variables) unsetenv(name.c_str());
    const auto seen = nlohmann::json::parse(ended(submit("environment")).result);
    EXPECT_THAT(seen, Contains("COLOUR=blue"));
    EXPECT_THAT(seen, Contains("HOLDFAST_WORKER=" + id_of(*workers.at(0)).to_string()));
    for (const auto& entry : seen) {
        const std::string name = entry.get<std::string>().substr(0, entry.get<std::string>().find('='));
        EXPECT_FALSE(name != "COLOUR" && variables.contains(name)) << name;
    }
}

}  // namespace
}  // namespace holdfast::worker_test
