#include "cli/tasks/arguments.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <istream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "core/json_text.h"
#include "holdfast/errors.h"

namespace holdfast::cli {

namespace {

std::string read_all(std::istream& in) {
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string read_file(std::string_view option, const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw BadInput(fmt::format("{}: cannot read {}: {}", option, path, std::strerror(errno)));
    std::string text = read_all(file);
    if (file.bad()) throw BadInput(fmt::format("{}: cannot read {}: {}", option, path, std::strerror(errno)));
    return text;
}

// Removes the library's prefix from "[json.exception.parse_error.101] parse error at line 1, column 5: ...".
std::string readable(const nlohmann::json::exception& fault) {
    const std::string text = fault.what();
    const auto end_of_tag = text.find("] ");
    return end_of_tag == std::string::npos ? text : text.substr(end_of_tag + 2);
}

void require_json(std::string_view option, const std::string& text, std::string_view where) {
    try {
        // Parsed in full, because json::accept() does not report the position of the fault.
        [[maybe_unused]] const auto value = nlohmann::json::parse(text);
    } catch (const nlohmann::json::exception& fault) {
        throw BadInput(fmt::format("{}: {} is not JSON: {}", option, where, readable(fault)));
    }
    if (const auto fault = core::json_fault(text))
        throw BadInput(fmt::format("{}: {} {}", option, fault->where, fault->problem));
}

}  // namespace

std::string read_json_argument(std::string_view option, const std::string& given, std::istream& in) {
    std::string text = given;
    std::string where = "the value";
    if (given == "-") {
        text = read_all(in);
        where = "standard input";
    } else if (given.starts_with('@')) {
        text = read_file(option, given.substr(1));
        where = given.substr(1);
    }
    require_json(option, text, where);
    return std::string(trimmed(text));  // without the newline at the end of a file or a pipe
}

std::string read_text_argument(std::string_view option, const std::string& given) {
    return given.starts_with('@') ? read_file(option, given.substr(1)) : given;
}

}  // namespace holdfast::cli
