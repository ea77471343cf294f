#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/words.h"

namespace holdfast {

enum class LogLevel { Debug, Info, Warning, Error };
constexpr auto words_of(LogLevel) {
    using enum LogLevel;
    return words<LogLevel>({{Debug, "debug"}, {Info, "info"}, {Warning, "warning"}, {Error, "error"}});
}

/// How lines are written: for people, or as one JSON object each.
enum class LogFormat { Text, Json };
constexpr auto words_of(LogFormat) {
    return words<LogFormat>({{LogFormat::Text, "text"}, {LogFormat::Json, "json"}});
}

/// One fact for the person who reads the log: a sentence, and values to search by.
struct LogLine {
    LogLevel level = LogLevel::Info;
    std::string message;
    std::vector<std::pair<std::string, std::string>> fields;  ///< "task" -> "0193...", "lease" -> "17"
};

/// Where log lines go, as a port. Safe from any thread.
class Log {
public:
    virtual ~Log() = default;
    virtual void write(const LogLine& line) = 0;
};

}  // namespace holdfast
