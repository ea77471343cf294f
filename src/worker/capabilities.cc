#include "worker/capabilities.h"

#include <fcntl.h>

#include <algorithm>

#include "base/descriptor.h"
#include "core/task/function_tag.h"
#include "platform/programs.h"

namespace holdfast::worker {

namespace {

void add_tag(std::vector<std::string>& tags, const std::string& tag) {
    if (std::find(tags.begin(), tags.end(), tag) == tags.end()) tags.push_back(tag);
}

}  // namespace

bool answers(const std::vector<std::string>& container_command, Duration patience) {
    if (container_command.empty()) return false;
    std::vector<std::string> words = container_command;
    words.insert(words.end(), {"ps", "-q"});
    const Descriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
    const auto pid = platform::launch({.file = platform::find_program(words.front()),
                                       .arguments = words,
                                       .environment = platform::environment_with({}),
                                       .directory = ".",
                                       .output = nothing.get(),
                                       .input = nothing.get(),
                                       .errors = nothing.get()});
    return pid && platform::status_within(*pid, patience) == 0;
}

std::vector<std::string> detect_capabilities(const CapabilityParams& params, const FunctionTable& functions) {
    std::vector<std::string> tags;
    if (params.isolation == Isolation::Process) {
        add_tag(tags, "script");
        if (answers(params.container_command, params.patience)) add_tag(tags, "docker");
    }
    for (const auto& [name, function] : functions) add_tag(tags, core::function_tag(name));
    for (const std::string& tag : params.tags) add_tag(tags, tag);
    return tags;
}

}  // namespace holdfast::worker
