#include "tests/worker/worker_app.h"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "base/text.h"
#include "platform/programs.h"
#include "proof/crew/patience.h"

namespace holdfast::worker_test {

namespace {

/// A limit on processes does not bind root, and counts all processes of its user. So each test process has a user of
/// its own: tests that run side by side have the same parent, but not the same pid.
std::vector<std::string> become_spare_user() {
    const std::string user = std::to_string(100'000 + getpid());
    return {"setpriv", "--reuid", user, "--regid", user, "--clear-groups", "--pdeathsig", "KILL"};
}

std::vector<std::string> command_of(const WorkerAppParams& params) {
    std::vector<std::string> words;
    if (params.most_processes && geteuid() == 0) words = become_spare_user();
    words.insert(words.end(), {HOLDFAST_WORKER_APP, "name=" + params.name});
    for (const auto& [key, value] : params.settings) words.push_back(concat(key, "=", value));
    return words;
}

std::vector<std::string> environment_of(const WorkerAppParams& params) {
    std::vector<std::string> assignments;
    for (const auto& [key, value] : params.environment) assignments.push_back(concat(key, "=", value));
    return platform::environment_with(assignments);
}

std::string log_of(const WorkerAppParams& params) {
    return params.folder + "/" + params.name + ".log";
}

}  // namespace

WorkerApp::WorkerApp(const WorkerAppParams& params)
    : Process({.command = command_of(params),
               .environment = environment_of(params),
               .log = log_of(params),
               .output = crew::Stream::Piped,
               .errors = crew::Stream::Logged,
               .most_user_processes = params.most_processes}),
      name_(params.name),
      log_path_(log_of(params)) {}

void WorkerApp::wait_until_ready() {
    if (read_line() != "ready") throw std::runtime_error("worker " + name_ + " ended early");
}

std::string WorkerApp::log() const {
    std::ostringstream text;
    text << std::ifstream(log_path_).rdbuf();
    return text.str();
}

void WorkerApp::wait_for_log(const std::string& text) const {
    crew::wait_until([&] { return log().find(text) != std::string::npos; }, name_ + " to log: " + text);
}

}  // namespace holdfast::worker_test
