#include <algorithm>

#include "proof/sim/report.h"

namespace holdfast::sim {

namespace {

using Keys = std::vector<FaultKey>;

constexpr std::size_t lines_of_report = 120;

/// Removes faults while the rest still breaks the same promise.
class Shrinker {
public:
    Shrinker(RunOptions options, const RunReport& failed, std::size_t at_most)
        : options_(std::move(options)), at_most_(at_most) {
        failure_.first = failure_.smallest = failed;
    }

    Failure run() {
        cut_tail();
        cut_kinds();
        for (std::size_t parts = 2; parts <= keys().size() && has_patience(); parts = cut_parts(parts)) {
        }
        show();
        return std::move(failure_);
    }

private:
    [[nodiscard]] const Keys& keys() const { return failure_.smallest.drawn; }
    [[nodiscard]] bool has_patience() const { return failure_.tried < at_most_; }

    bool still_fails(const Keys& with) {
        ++failure_.tried;
        RunOptions options = options_;
        options.limits.only = std::set<FaultKey>(with.begin(), with.end());
        RunReport report = World(options).run();
        const bool same = !report.violations.empty() &&
                          report.violations.front().promise == failure_.first.violations.front().promise;
        if (same && report.drawn.size() <= with.size()) failure_.smallest = std::move(report);
        return same;
    }

    /// The shortest prefix that bisection finds.
    void cut_tail() {
        const Keys all = keys();
        std::size_t enough = all.size(), too_few = 0;
        while (enough - too_few > 1 && has_patience()) {
            const std::size_t middle = (enough + too_few) / 2;
            const Keys prefix(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(middle));
            (still_fails(prefix) ? enough : too_few) = middle;
        }
    }

    void cut_kinds() {
        for (const Fault fault : all_faults()) {
            Keys others;
            for (const FaultKey& key : keys())
                if (key.fault != fault) others.push_back(key);
            if (others.size() < keys().size() && has_patience()) still_fails(others);
        }
    }

    /// Tries to leave out each of so many parts. Returns how many parts to try next.
    std::size_t cut_parts(std::size_t parts) {
        const Keys all = keys();
        for (std::size_t part = 0; part < parts && has_patience(); ++part) {
            const std::size_t from = all.size() * part / parts, to = all.size() * (part + 1) / parts;
            Keys rest(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(from));
            rest.insert(rest.end(), all.begin() + static_cast<std::ptrdiff_t>(to), all.end());
            if (rest.size() < all.size() && still_fails(rest)) return std::max<std::size_t>(parts - 1, 2);
        }
        return parts == all.size() ? all.size() + 1 : std::min(parts * 2, all.size());
    }

    /// Runs it once more, to keep its last lines.
    void show() {
        RunOptions options = options_;
        options.keep_lines = lines_of_report;
        if (failure_.smallest.drawn.size() < failure_.first.drawn.size())
            options.limits.only = std::set<FaultKey>(keys().begin(), keys().end());
        failure_.smallest = World(options).run();
    }

    const RunOptions options_;
    const std::size_t at_most_;
    Failure failure_;
};

}  // namespace

Failure shrink(const RunOptions& options, const RunReport& failed, std::size_t at_most) {
    return Shrinker(options, failed, at_most).run();
}

}  // namespace holdfast::sim
