#include "runner/script_files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/descriptor.h"
#include "base/text.h"
#include "base/throw_errno.h"
#include "platform/private_folder.h"

namespace holdfast::runner {

namespace {

void write_file(const std::string& path, std::string_view text, mode_t mode) {
    const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    while (file && !text.empty()) {
        const ssize_t written = write(file.get(), text.data(), text.size());
        if (written < 0) break;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    if (!file || !text.empty()) throw_errno("cannot write " + path);
}

void make_folder(const std::string& path) {
    if (mkdir(path.c_str(), 0700) != 0) throw_errno("cannot make the directory " + path);
}

/// Reads only a regular file, and not through a link: the script may have put anything there.
std::optional<std::string> read_regular_file(const std::string& path, std::size_t at_most) {
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat status {};
    if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    std::string text;
    std::array<char, 64 * 1024> buffer;
    ssize_t got = 0;
    while (text.size() <= at_most && (got = read(file.get(), buffer.data(), buffer.size())) > 0)
        text.append(buffer.data(), static_cast<std::size_t>(got));
    return text;
}

}  // namespace

ScriptFiles::ScriptFiles(std::string folder, const std::string& script, const std::string& checkpoint)
    : folder_(std::move(folder)) {
    platform::make_fresh_folder(folder_);
    make_folder(work());
    write_file(this->script(), script, 0700);
    if (!checkpoint.empty()) write_file(this->checkpoint(), checkpoint, 0600);
}

ScriptFiles::~ScriptFiles() {
    platform::remove_folder(folder_);
}

std::optional<GivenResult> given_result(const std::string& result_file, const std::string& last_line_of_stdout,
                                        std::int64_t max_payload) {
    constexpr std::string_view mark = "OUTPUT: ";
    const auto largest = static_cast<std::size_t>(max_payload);
    if (const auto text = read_regular_file(result_file, largest); text && !trimmed(*text).empty())
        return GivenResult{std::string(trimmed(*text)), text->size() > largest};
    if (!last_line_of_stdout.starts_with(mark)) return std::nullopt;
    const std::string_view text = trimmed(std::string_view(last_line_of_stdout).substr(mark.size()));
    return GivenResult{std::string(text), text.size() > largest};
}

Outcome outcome_of_result(const GivenResult& given, std::int64_t max_payload) {
    if (given.is_too_large)
        return failed_with(error_code::result_too_large,
                           concat("the result has more than the ", max_payload, " bytes that are allowed"));
    if (!nlohmann::json::accept(given.text))
        return failed_with(error_code::result_not_readable,
                           concat("the result is not valid JSON: ", given.text.substr(0, 200)));
    return completed_with(given.text, max_payload);
}

}  // namespace holdfast::runner
