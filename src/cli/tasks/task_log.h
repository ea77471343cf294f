#pragma once

#include <cstdint>

#include "cli/session.h"

namespace holdfast::cli {

/// The colour of what a run printed: errors differ.
[[nodiscard]] Tone tone_of_stream(const store::LogRecord& record);

/// The output of the runs of a task.
class TaskLog {
public:
    /// `raw`: with every byte that a terminal would act upon.
    TaskLog(const Session& session, store::ClientStore& store, const Uuid& task, bool raw)
        : session_(session), store_(store), task_(task), raw_(raw) {}

    /// Prints what came since the last call; false: no more can follow. The state is read before the output, because
    /// a run stores its output before its end.
    bool print_new();

private:
    void print(const store::LogRecord& record) const;

    const Session& session_;
    store::ClientStore& store_;
    const Uuid task_;
    const bool raw_;
    std::int64_t offset_ = 0;
};

}  // namespace holdfast::cli
