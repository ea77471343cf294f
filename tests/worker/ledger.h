#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace holdfast::worker_test {

/// One line: a run began, or its code returned.
struct LedgerLine {
    enum class What { Begin, End };
    What what = What::Begin;
    std::string task;
    std::int64_t lease = 0;
    int attempt = 0;
    int pid = 0;  ///< the process that executes it

    friend bool operator==(const LedgerLine&, const LedgerLine&) = default;
};

/// The file that runs themselves write, each line on disk before the run goes on: what it says has happened.
class Ledger {
public:
    using Lines = std::vector<LedgerLine>;

    explicit Ledger(std::string path);

    void append(const LedgerLine& line) const;
    [[nodiscard]] Lines lines() const;
    /// Waits until the lines are as `wanted`, and returns them. Throws std::runtime_error when that takes too long.
    Lines wait_until(const std::function<bool(const Lines&)>& wanted, const std::string& what) const;
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

[[nodiscard]] std::size_t count(const Ledger::Lines& lines, LedgerLine::What what);
[[nodiscard]] Ledger::Lines lines_of(const Ledger::Lines& lines, const std::string& task, LedgerLine::What what);

}  // namespace holdfast::worker_test
