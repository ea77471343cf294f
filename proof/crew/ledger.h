#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "store/task_records.h"

namespace holdfast::crew {

/// What a run reports about itself.
enum class Mark {
    Begin,    ///< its first instruction
    Done,     ///< its code is about to return
    Failed,   ///< its code is about to return an error, as its arguments asked for
    Overlap,  ///< the kernel says that another run of its task, or of its key beyond the limit, is alive
};

/// One line of the ledger: "MARK TASK LEASE ATTEMPT WORKER PID MICROSECONDS."
struct LedgerLine {
    Mark mark = Mark::Begin;
    Uuid task = {};
    store::Lease lease = 0;
    int attempt = 0;
    Uuid worker = {};  ///< of the lease; nil: not known
    int pid = 0;       ///< the process that executes the run
    Timestamp at = {};

    friend bool operator==(const LedgerLine&, const LedgerLine&) = default;
};

/// As it is appended: after a newline, so that it does not continue a line whose writer was killed within its write.
[[nodiscard]] std::string to_text(const LedgerLine& line);

struct LedgerLines {
    std::vector<LedgerLine> lines = {};  ///< in the order in which they were written
    std::size_t torn = 0;                ///< beginnings of lines: their writers were killed within the write
    std::size_t unreadable = 0;          ///< what no writer has begun

    [[nodiscard]] std::size_t count(Mark mark) const;
    [[nodiscard]] std::vector<LedgerLine> of(const Uuid& task, Mark mark) const;
};
[[nodiscard]] LedgerLines parse_ledger(std::string_view text);

/// The file that the runs themselves write, whatever the store says: the evidence of what ran. All runs append to
/// one file, and each line is on disk, whole, before its run continues. Every call throws std::system_error.
class Ledger {
public:
    /// Creates the file when it is missing.
    explicit Ledger(std::string path);

    void append(const LedgerLine& line) const;
    [[nodiscard]] LedgerLines read() const;
    /// Waits until the lines are as `wanted`, and returns them. Throws std::runtime_error after crew::patience.
    LedgerLines wait_until(const std::function<bool(const LedgerLines&)>& wanted, const std::string& what) const;
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

}  // namespace holdfast::crew
