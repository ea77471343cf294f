#include "runner/script_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <string_view>

#include <nlohmann/json.hpp>

#include "base/descriptor.h"
#include "base/text.h"
#include "base/throw_errno.h"
#include "platform/files.h"

namespace holdfast::runner {

namespace {

void write_file(const std::string& path, std::string_view text, mode_t mode) {
    const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!file || !platform::write_all(file.get(), text)) throw_errno("cannot write " + path);
}

void make_folder(const std::string& path) {
    if (mkdir(path.c_str(), 0700) != 0) throw_errno("cannot make the directory " + path);
}

}  // namespace

ScriptFiles::ScriptFiles(std::string folder, const std::string& script, const std::string& checkpoint)
    : folder_(std::move(folder)) {
    make_folder(work());
    write_file(this->script(), script, 0700);
    if (!checkpoint.empty()) write_file(this->checkpoint(), checkpoint, 0600);
}

std::optional<GivenResult> given_result(const std::string& result_file, const std::string& last_line_of_stdout,
                                        std::int64_t max_payload) {
    constexpr std::string_view mark = "OUTPUT: ";
    const auto largest = static_cast<std::size_t>(max_payload);
    // Not through a link: the script may have put anything there.
    if (const auto text = platform::read_regular_file(result_file, largest, O_NOFOLLOW);
        text && !trimmed(*text).empty())
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
