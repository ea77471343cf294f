#pragma once

#include <string>
#include <vector>

#include "holdfast/time.h"
#include "holdfast/uuid.h"

namespace holdfast::bench {

/// A run has begun: written by the run itself, and the truth about what ran.
struct LedgerLine {
    Uuid task;
    std::int64_t lease = 0;
    int attempt = 0;
    int pid = 0;
    Timestamp at;
};

void append(const std::string& path, const LedgerLine& line);
[[nodiscard]] std::vector<LedgerLine> read_ledger(const std::string& path);

}  // namespace holdfast::bench
