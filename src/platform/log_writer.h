#pragma once

#include <iosfwd>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "base/log.h"

namespace holdfast::platform {

/// The line as people read it: `2026-11-15T08:30:00.123Z info connected store="sqlite:a b.db"`. Without its newline,
/// and without control characters, so that a value cannot forge a log line.
[[nodiscard]] std::string text_line(const LogLine& line, Timestamp at);
/// The same as one JSON object: "at", "level" and "message" first, then the fields.
[[nodiscard]] std::string json_line(const LogLine& line, Timestamp at);

/// Writes log lines to a stream, each at once and as a whole.
class LogWriter : public Log {
public:
    /// Drops lines below `least`. `out` and `clock` must outlive the writer.
    LogWriter(std::ostream& out, LogFormat format, LogLevel least, const Clock& clock);

    void write(const LogLine& line) override;

private:
    std::mutex mutex_;
    std::ostream& out_;  // guarded by mutex_
    const LogFormat format_;
    const LogLevel least_;
    const Clock& clock_;
};

}  // namespace holdfast::platform
