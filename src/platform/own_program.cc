#include "platform/own_program.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "base/descriptor.h"
#include "base/throw_errno.h"

namespace holdfast::platform {

namespace {

int open_own_program() {
    const Descriptor opened(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    return fcntl(opened.get(), F_DUPFD_CLOEXEC, 64);  // clear of the numbers that children use
}

}  // namespace

int own_program() {
    static const int opened = open_own_program();
    if (opened < 0) throw_errno("open /proc/self/exe");
    return opened;
}

void execute_own_program(int program, char* const* arguments, char* const* environment) {
    fexecve(program, arguments, environment);
}

std::vector<char*> exec_vector(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> environment_with(const std::vector<std::string>& added) {
    const auto name_of = [](std::string_view entry) { return entry.substr(0, entry.find('=')); };
    std::vector<std::string> merged;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const auto same = [&](const std::string& other) { return name_of(other) == name_of(*entry); };
        if (std::ranges::none_of(added, same)) merged.emplace_back(*entry);
    }
    merged.insert(merged.end(), added.begin(), added.end());
    return merged;
}

}  // namespace holdfast::platform
