#pragma once

#include <iosfwd>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "base/log.h"

namespace holdfast::platform {

/// The line as people read it: `2026-11-15T08:30:00.123Z info connected store="sqlite:a b.db"`. Without its newline,
/// and without control characters: whoever wrote the values cannot add lines of their own.
[[nodiscard]] std::string text_line(const LogLine& line, Timestamp at);
/// The same as one JSON object: "at", "level" and "message" first, then the fields.
[[nodiscard]] std::string json_line(const LogLine& line, Timestamp at);

/// Writes log lines to a stream, each at once and whole.
class LogWriter : public Log {
public:
    /// Lines below `least` are left out. `out` and `clock` outlive it.
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
