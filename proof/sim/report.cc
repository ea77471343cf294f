#include "proof/sim/report.h"

#include <cstdio>

#include "base/text.h"
#include "proof/sim/commit.h"

namespace holdfast::sim {

namespace {

std::string hexadecimal(std::uint64_t value) {
    char text[20];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
    return text;
}

std::string fixed(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.1f", value);
    return text;
}

double hours(Duration length) {
    return static_cast<double>(length.count()) / 3.6e9;
}

std::string faults_by_kind(const std::map<Fault, std::uint64_t>& faults) {
    std::string text;
    for (const auto& [fault, count] : faults) text += concat(text.empty() ? "" : ", ", to_text(fault), " ", count);
    return text.empty() ? "none" : text;
}

/// Empty when the store never went back.
std::string losses(const LostHistory& lost) {
    if (lost == LostHistory{}) return "";
    return concat("lost when the store went back: ", lost.tasks, " accepted tasks, ", lost.jobs, " jobs, ",
                  lost.claims, " claims, ", lost.finishes, " finishes whose claim survived, of which ",
                  lost.delivered, " were delivered again; ", lost.reruns,
                  " runs of tasks that had run in the lost part\n");
}

}  // namespace

void Totals::add(const RunReport& report) {
    ++runs;
    store_calls += report.store_calls;
    disk_operations += report.disk_operations;
    events += report.events;
    virtual_time += report.virtual_time;
    tasks += report.tasks;
    jobs += report.jobs;
    task_runs += report.runs;
    lost.add(report.lost);
    for (const auto& [fault, count] : report.faults) faults[fault] += count;
    if (!report.violations.empty()) ++failures;
    hash = mixed(hash ^ report.hash);
}

std::uint64_t Totals::fault_count() const {
    std::uint64_t sum = 0;
    for (const auto& [fault, count] : faults) sum += count;
    return sum;
}

std::string describe(const RunReport& report) {
    std::uint64_t faults = 0;
    for (const auto& [fault, count] : report.faults) faults += count;
    return concat("seed ", report.seed, ": ", report.store_calls, " store calls, ", faults, " faults, ", report.tasks,
                  " tasks, ", report.jobs, " jobs, ", report.runs, " task runs, ",
                  fixed(hours(report.virtual_time) * 60), " virtual minutes, hash ", hexadecimal(report.hash));
}

std::string describe(const Totals& totals, double seconds) {
    const double virtual_hours = hours(totals.virtual_time);
    return concat(totals.runs, " runs, ", totals.failures, " with a broken promise\n", totals.store_calls,
                  " store calls (", fixed(static_cast<double>(totals.store_calls) / seconds), " a second), ",
                  totals.disk_operations, " disk operations, ", totals.events, " events\n", fixed(virtual_hours),
                  " virtual hours in ", fixed(seconds), " s (", fixed(virtual_hours * 3600 / seconds),
                  " times as fast)\n", totals.tasks, " tasks, run ", totals.task_runs, " times; ", totals.jobs,
                  " jobs\n", losses(totals.lost), totals.fault_count(), " faults: ", faults_by_kind(totals.faults),
                  "\nhash of all runs ", hexadecimal(totals.hash), "\n");
}

std::string proof_row(const Totals& totals, double seconds) {
    return concat("| ", commit, " | ", totals.runs, " | ", fixed(seconds / 60), " min | ",
                  fixed(hours(totals.virtual_time)), " | ", totals.store_calls, " | ", totals.fault_count(), " | ",
                  totals.tasks, " | ", totals.jobs, " | ", totals.task_runs, " | ", totals.failures, " |\n- ",
                  totals.fault_count(), " faults struck in the ", totals.runs, " runs at ", commit, ": ",
                  faults_by_kind(totals.faults), "\n");
}

std::string describe(const Failure& failure, const std::string& again) {
    const RunReport& run = failure.smallest;
    const Violation& broken = run.violations.front();
    std::string text =
        concat("BROKEN: ", broken.promise, ": ", broken.what, "\n  seed ", run.seed, ", commit ", commit,
               "; again: ", again, "\n  ", failure.first.drawn.size(), " faults had been drawn; these ",
               run.drawn.size(), " are enough (", failure.tried, " runs tried):\n");
    for (const FaultKey& key : run.drawn) text += concat("    ", to_text(key), "\n");
    text += "  What happened last:\n";
    for (const std::string& line : run.last_lines) text += concat("    ", line, "\n");
    return text;
}

}  // namespace holdfast::sim
