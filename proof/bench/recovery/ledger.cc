#include "proof/bench/recovery/ledger.h"

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/text.h"

namespace holdfast::bench {

void append(const std::string& path, const LedgerLine& line) {
    const std::string text = concat(line.task.to_string(), " ", line.lease, " ", line.attempt, " ", line.pid, " ",
                                    line.at.time_since_epoch().count(), "\n");
    const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    const bool written = file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                         fdatasync(file) == 0;
    if (file >= 0) close(file);
    if (!written) throw std::runtime_error("cannot write the ledger");
}

std::vector<LedgerLine> read_ledger(const std::string& path) {
    std::vector<LedgerLine> lines;
    std::ifstream file(path);
    for (std::string text; std::getline(file, text);) {
        std::istringstream words(text);
        std::string task;
        std::int64_t at = 0;
        LedgerLine line;
        words >> task >> line.lease >> line.attempt >> line.pid >> at;
        line.task = Uuid::parse(task).value();
        line.at = Timestamp(Duration(at));
        lines.push_back(line);
    }
    return lines;
}

}  // namespace holdfast::bench
