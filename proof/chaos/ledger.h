#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "store/task_records.h"

namespace holdfast::chaos {

/// What a run has to say about itself.
enum class Mark {
    Begin,    ///< its first instruction
    Done,     ///< it is about to return a value
    Failed,   ///< it is about to return an error, as it was told to
    Overlap,  ///< the kernel says that another run of its task, or of its key beyond the limit, is alive
};

/// One line of the ledger.
struct LedgerLine {
    Mark mark = Mark::Begin;
    Uuid task = {};
    store::Lease lease = 0;
    int attempt = 0;
    int pid = 0;  ///< the process that executes it
    Timestamp at = {};

    friend bool operator==(const LedgerLine&, const LedgerLine&) = default;
};

/// With its newline.
[[nodiscard]] std::string to_text(const LedgerLine& line);

struct LedgerLines {
    std::vector<LedgerLine> lines = {};  ///< in the order in which they were written
    std::size_t unreadable = 0;
};
[[nodiscard]] LedgerLines parse_ledger(std::string_view text);
/// Throws std::system_error.
[[nodiscard]] LedgerLines read_ledger(const std::string& path);

/// The file in which runs keep book, all of them in one: each line is on disk, whole, before the run goes on.
class LedgerFile {
public:
    /// Created when missing. Throws std::system_error, as does append().
    explicit LedgerFile(std::string path);
    void append(const LedgerLine& line) const;

private:
    std::string path_;
    Descriptor file_;
};

}  // namespace holdfast::chaos
