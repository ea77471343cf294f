#include <CLI/CLI.hpp>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "base/text.h"
#include "proof/sim/commit.h"
#include "proof/sim/exhaustive.h"
#include "proof/sim/report.h"

namespace {

using namespace holdfast;
using namespace holdfast::sim;

struct Arguments {
    std::uint64_t seed = 1;
    std::uint64_t runs = 1;
    double seconds = 0;
    std::optional<double> hours;
    std::vector<std::string> faults;
    bool trace = false;
    bool twice = false;
    bool keep_going = false;
    std::size_t shrink_runs = 150;
    std::string exhaustive;
    std::string part = "1/1";
    std::string row;
};

/// "2/8"
std::optional<Part> parse_part(const std::string& text) {
    unsigned long long number = 0, of = 0;
    int end = 0;
    if (std::sscanf(text.c_str(), "%llu/%llu%n", &number, &of, &end) != 2) return std::nullopt;
    if (static_cast<std::size_t>(end) != text.size() || number < 1 || number > of) return std::nullopt;
    return Part{number, of};
}

/// The shortest text that reads back as this number.
std::string exact(double number) {
    char text[32];
    const auto end = std::to_chars(std::begin(text), std::end(text), number).ptr;
    return {text, end};
}

/// The options that repeat the run of this seed. A scenario is repeated as a whole, up to where it broke.
std::string command_for(const Arguments& arguments, std::uint64_t seed) {
    std::string text = concat("holdfast-sim --seed ", seed);
    if (!arguments.exhaustive.empty())
        return concat(text, " --exhaustive ", arguments.exhaustive, " --part ", arguments.part);
    if (arguments.hours) text += concat(" --hours ", exact(*arguments.hours));
    for (const std::string& name : arguments.faults) text += concat(" --fault ", name);
    return text + " --trace";
}

RunOptions options_for(const Arguments& arguments, std::uint64_t seed) {
    RunOptions options;
    options.seed = seed;
    if (arguments.hours) options.busy_for = Duration(static_cast<Duration::rep>(*arguments.hours * 3.6e9));
    if (!arguments.faults.empty()) options.limits.kinds.emplace();
    for (const std::string& name : arguments.faults)
        if (name != "none") options.limits.kinds->insert(*parse_fault(name));
    options.print_lines = arguments.trace;
    return options;
}

/// Runs seeds, counts, and reports broken promises.
class Session {
public:
    explicit Session(const Arguments& arguments) : arguments_(arguments) {}

    int run() {
        if (arguments_.exhaustive.empty()) {
            run_seeds();
        } else {
            run_scenario();
        }
        std::printf("%s", describe(totals_, seconds()).c_str());
        if (!arguments_.row.empty()) std::ofstream(arguments_.row) << proof_row(totals_, seconds());
        return totals_.failures == 0 ? 0 : 1;
    }

private:
    void run_seeds() {
        const bool by_time = arguments_.seconds > 0;
        for (std::uint64_t i = 0; by_time ? seconds() < arguments_.seconds : i < arguments_.runs; ++i) {
            const RunOptions options = options_for(arguments_, arguments_.seed + i);
            const RunReport report = World(options).run();
            const bool goes_on = tell(options, report);
            if (arguments_.twice && report.hash != World(options).run().hash) {
                std::printf("seed %llu: the second run was another one\n",
                            static_cast<unsigned long long>(options.seed));
                ++totals_.failures;
            }
            if (!goes_on) return;
        }
    }

    void run_scenario() {
        const ExhaustiveCounts counts = run_exhaustively(
            *find_scenario(arguments_.exhaustive), arguments_.seed, *parse_part(arguments_.part),
            [this](const RunOptions& options, const RunReport& report) { return tell(options, report); });
        std::printf("%s, part %s: %llu calls, %llu single faults, %llu pairs\n", arguments_.exhaustive.c_str(),
                    arguments_.part.c_str(), static_cast<unsigned long long>(counts.calls),
                    static_cast<unsigned long long>(counts.single_faults),
                    static_cast<unsigned long long>(counts.pairs));
    }

    /// Returns false when it is enough.
    bool tell(const RunOptions& options, const RunReport& report) {
        totals_.add(report);
        if (arguments_.exhaustive.empty() && arguments_.runs < 50 && arguments_.seconds == 0)
            std::printf("%s\n", describe(report).c_str());
        if (report.violations.empty()) return true;
        for (const ScriptedFault& scripted : options.script)
            std::printf("%s: call %llu %s\n", arguments_.exhaustive.c_str(),
                        static_cast<unsigned long long>(scripted.call), std::string(to_text(scripted.fault)).c_str());
        RunOptions quiet = options;
        quiet.print_lines = false;
        std::printf(
            "%s",
            describe(shrink(quiet, report, arguments_.shrink_runs), command_for(arguments_, options.seed)).c_str());
        std::fflush(stdout);
        return arguments_.keep_going;
    }

    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    }

    const Arguments& arguments_;
    const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    Totals totals_;
};

std::vector<std::string> fault_names() {
    std::vector<std::string> names = {"none"};
    for (const Fault fault : all_faults()) names.emplace_back(to_text(fault));
    return names;
}

std::vector<std::string> scenario_names() {
    std::vector<std::string> names;
    for (const Scenario& scenario : scenarios()) names.push_back(scenario.name);
    return names;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"Runs Holdfast's engine and SQLite store in a simulated world, and looks for broken promises."};
    Arguments arguments;
    app.set_version_flag("--version", std::string(commit));
    app.add_option("--seed", arguments.seed, "the first seed")->capture_default_str();
    app.add_option("--runs", arguments.runs, "how many seeds, one after the other")->capture_default_str();
    app.add_option("--seconds", arguments.seconds, "go on with further seeds for so long, instead of --runs");
    app.add_option("--hours", arguments.hours, "virtual hours with faults in each run; else drawn from the seed");
    app.add_option("--fault", arguments.faults, "only faults of this kind; may be given several times")
        ->check(CLI::IsMember(fault_names()));
    app.add_flag("--trace", arguments.trace, "print everything that happens");
    app.add_flag("--twice", arguments.twice, "run every seed twice, and compare");
    app.add_flag("--keep-going", arguments.keep_going, "go on after a broken promise");
    app.add_option("--shrink", arguments.shrink_runs, "runs to spend on making a failure smaller")
        ->capture_default_str();
    app.add_option("--exhaustive", arguments.exhaustive, "every call of a small scenario fails, in every way")
        ->check(CLI::IsMember(scenario_names()));
    app.add_option("--part", arguments.part, "of --exhaustive, one of several parts to run beside each other: 2/8")
        ->check([](const std::string& text) { return parse_part(text) ? "" : "must be like 2/8"; });
    app.add_option("--row", arguments.row,
                   "also write the totals to this file, as docs/proof.md has them: a row, and the faults by kind");
    CLI11_PARSE(app, argc, argv);
    return Session(arguments).run();
}
