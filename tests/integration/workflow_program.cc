#include "integration/workflow_program.h"

#include <regex>
#include <sstream>

namespace holdfast::integration {

void WorkflowProgramTest::define(const std::string& yaml) const {
    (void)folder.write("holdfast.yaml", yaml);
}

RunningProgram WorkflowProgramTest::start_worker(const std::string& name) const {
    RunParams params = command({"worker", "--name", name});
    params.environment.erase("HOLDFAST_SERVER");  // a worker needs the store itself, and refuses a server
    return RunningProgram(params);
}

std::string WorkflowProgramTest::run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "run");
    const Ran ran = holdfast(std::move(arguments));
    if (ran.exit_code != 0) throw std::runtime_error("run failed: " + ran.err);
    return ran.lines().at(0);
}

nlohmann::json WorkflowProgramTest::job(const std::string& id) const {
    return holdfast({"jobs", "show", id, "--json"}).json();
}

nlohmann::json WorkflowProgramTest::step(const std::string& id, const std::string& name) const {
    const auto shown = job(id);
    for (const auto& one : shown["steps"])
        if (one["name"] == name) return one;
    return nullptr;
}

void WorkflowProgramTest::await(const std::string& id, const std::string& state) const {
    while (job(id)["job"]["state"] != state) {
    }
}

void WorkflowProgramTest::await_step(const std::string& id, const std::string& name, const std::string& state) const {
    for (auto now = step(id, name); now.is_null() || now["state"] != state; now = step(id, name)) {
    }
}

std::vector<std::string> timeless_lines(const std::string& text) {
    static const std::regex duration(R"( after [0-9.]+(ms|us|s|m|h)[0-9a-z]*)");
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(std::regex_replace(line, duration, ""));
    return lines;
}

}  // namespace holdfast::integration
