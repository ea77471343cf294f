#include "runner/script_environment.h"

#include <cstdlib>
#include <filesystem>

#include "base/text.h"

namespace holdfast::runner {

namespace {

// The kernel takes no more for one variable. Longer arguments are on stdin only.
constexpr std::size_t longest_variable = 128 * 1024 - 64;

/// So that `holdfast progress` is found: the directory of this program comes last in the path.
std::string path_with_own_program() {
    const char* path = std::getenv("PATH");
    std::error_code failed;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
    const std::string before = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
    return failed ? before : before + ":" + program.parent_path().string();
}

}  // namespace

std::vector<std::string> task_environment(const engine::RunOrder& order, const core::TaskSpec& spec,
                                          const std::string& folder) {
    std::vector<std::string> variables;
    for (const auto& [name, value] : spec.env) variables.push_back(concat(name, "=", value));
    variables.push_back(concat("HOLDFAST_TASK_ID=", order.lease.task.to_string()));
    variables.push_back(concat("HOLDFAST_LEASE=", order.lease.lease));
    variables.push_back(concat("HOLDFAST_ATTEMPT=", order.attempt));
    variables.push_back(concat("HOLDFAST_SOCKET=", folder, "/socket"));
    variables.push_back(concat("HOLDFAST_RESULT=", folder, "/result"));
    if (!order.checkpoint.empty()) variables.push_back(concat("HOLDFAST_CHECKPOINT=", folder, "/checkpoint"));
    if (!order.traceparent.empty() && !spec.env.contains("TRACEPARENT"))
        variables.push_back("TRACEPARENT=" + order.traceparent);
    if (order.args.size() < longest_variable) variables.push_back("HOLDFAST_ARGS=" + order.args);
    return variables;
}

std::vector<std::string> script_environment(const engine::RunOrder& order, const core::TaskSpec& spec,
                                            const std::string& folder) {
    std::vector<std::string> variables = task_environment(order, spec, folder);
    if (!spec.env.contains("PATH")) variables.push_back("PATH=" + path_with_own_program());
    return variables;
}

}  // namespace holdfast::runner
