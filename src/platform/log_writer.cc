#include "platform/log_writer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "base/text.h"

namespace holdfast::platform {

namespace {

/// In quotes, with control characters as JSON escapes them; bytes that are not UTF-8 become U+FFFD.
std::string quoted(std::string_view text) {
    // JSON does not escape some characters that control a terminal.
    return visible_text(
        nlohmann::json(std::string(text)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string without_quotes(const std::string& text) {
    return text.substr(1, text.size() - 2);
}

/// A message is not quoted, so its own quotes and backslashes stay as they are.
std::string sentence(std::string_view text) {
    std::string escaped;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find_first_of("\"\\", at), text.size());
        escaped += without_quotes(quoted(text.substr(at, end - at)));
        if (end < text.size()) escaped += text[end];
        at = end + 1;
    }
    return escaped;
}

bool is_plain(std::string_view text) {
    return !text.empty() && text.find_first_of(" =\"\\") == std::string_view::npos &&
           quoted(text).size() == text.size() + 2;
}

std::string value(std::string_view text) {
    return is_plain(text) ? std::string(text) : quoted(text);
}

}  // namespace

std::string text_line(const LogLine& line, Timestamp at) {
    std::string text = concat(format_timestamp(at), ' ', word_of(line.level), ' ', sentence(line.message));
    for (const auto& [name, content] : line.fields) text += concat(' ', name, '=', value(content));
    return text;
}

std::string json_line(const LogLine& line, Timestamp at) {
    nlohmann::ordered_json object = {
        {"at", format_timestamp(at)}, {"level", word_of(line.level)}, {"message", line.message}};
    for (const auto& [name, content] : line.fields) object[object.contains(name) ? name + '_' : name] = content;
    return visible_text(object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

LogWriter::LogWriter(std::ostream& out, LogFormat format, LogLevel least, const Clock& clock)
    : out_(out), format_(format), least_(least), clock_(clock) {}

void LogWriter::write(const LogLine& line) {
    if (line.level < least_) return;
    const Timestamp at = clock_.now();
    const std::string text = format_ == LogFormat::Json ? json_line(line, at) : text_line(line, at);
    const std::lock_guard lock(mutex_);
    out_ << text + '\n' << std::flush;
    out_.clear();  // a stream that failed now may work later
}

}  // namespace holdfast::platform
