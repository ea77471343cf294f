#include "runner/texts.h"

#include <string.h>
#include <sys/wait.h>

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"

namespace holdfast::runner {

namespace {

void append_escaped(std::string& text, char byte) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    const auto value = static_cast<unsigned char>(byte);
    text += "\\x";
    text += digits[value >> 4];
    text += digits[value & 15];
}

}  // namespace

std::string readable_text(std::string_view bytes) {
    if (!text_defect(bytes)) return std::string(bytes);
    std::string text;
    while (!bytes.empty()) {
        const std::size_t length = bytes.front() == '\0' ? 0 : character_length(bytes);
        if (length == 0) append_escaped(text, bytes.front());
        text.append(bytes.substr(0, length));
        bytes.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return text;
}

std::string exit_text(int status) {
    if (WIFEXITED(status)) return concat("exit code ", WEXITSTATUS(status));
    if (!WIFSIGNALED(status)) return concat("wait status ", status);
    const char* name = sigabbrev_np(WTERMSIG(status));
    if (name == nullptr) return concat("killed by signal ", WTERMSIG(status));
    return concat("killed by SIG", name);
}

std::string memory_limit_text(std::int64_t bytes) {
    constexpr std::int64_t mib = 1024 * 1024;
    if (bytes % mib == 0) return concat("memory limit ", bytes / mib, " MiB");
    return concat("memory limit ", bytes / 1024, " KiB");
}

}  // namespace holdfast::runner
