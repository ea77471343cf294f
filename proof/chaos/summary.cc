#include "proof/chaos/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "proof/chaos/figures.h"

namespace holdfast::chaos {

namespace {

constexpr std::size_t complaints_shown = 20;

std::string shown(Duration length) {
    const double seconds = std::chrono::duration<double>(length).count();
    return seconds < 1 ? fmt::format("{:.0f} ms", seconds * 1000) : fmt::format("{:.2f} s", seconds);
}

std::int64_t in_milliseconds(Duration length) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(length).count();
}

std::string listed(const std::map<std::string, std::size_t>& counts) {
    std::vector<std::string> parts;
    for (const auto& [what, count] : counts) parts.push_back(fmt::format("{} {}", what, count));
    return parts.empty() ? "none" : join(parts, ", ");
}

void count_tasks(const Findings& findings, Summary& summary) {
    for (const TaskSeen& task : findings.tasks) {
        if (task.state == TaskState::Completed) ++summary.completed;
        if (task.state == TaskState::Failed) ++summary.failed[task.error_code];
    }
    for (const JobSeen& job : findings.jobs) {
        if (job.state == JobState::Completed) ++summary.completed_jobs;
        if (job.state == JobState::Failed) ++summary.failed_jobs;
    }
}

void count_lines(const Findings& findings, Summary& summary) {
    std::size_t ends = 0;
    for (const LedgerLine& line : findings.ledger.lines) {
        if (line.mark == Mark::Begin) ++summary.runs;
        if (line.mark == Mark::Done || line.mark == Mark::Failed) ++ends;
    }
    summary.runs_cut_short = summary.runs - std::min(summary.runs, ends);
}

void count_faults(const Findings& findings, Summary& summary) {
    for (const Blow& blow : findings.blows) ++summary.faults[std::string(to_text(blow.kind))];
    for (const VerdictSeen& verdict : findings.verdicts)
        if (verdict.task.is_nil()) ++summary.verdicts[verdict.evidence];
    for (auto& [evidence, times] : settle_times(findings))
        summary.settle[evidence] = {times.size(), percentile(times, 0.5), percentile(times, 0.99),
                                    percentile(times, 1)};
}

void add_failovers(const Summary& summary, const std::function<void(std::string_view, const std::string&)>& row) {
    const ResumeFigures& resume = summary.resume;
    const Unavoidable& lost = summary.unavoidable;
    row("failovers", fmt::format("{}, of which {} were followed by a run", resume.failovers, resume.count));
    row("promotion to next run",
        fmt::format("p50 {}, p95 {}, at most {}", shown(resume.p50), shown(resume.p95), shown(resume.most)));
    row("because history was lost", fmt::format("ran again {}, two at once {}, submits lost and told {}",
                                                lost.ran_again, lost.two_at_once, lost.submits_told));
    row("", "");
}

nlohmann::json settings_json(const Settings& settings) {
    std::vector<std::string_view> faults;
    for (const FaultKind kind : settings.faults) faults.push_back(to_text(kind));
    return {{"store", to_text(settings.store)}, {"duration_ms", in_milliseconds(settings.duration)},
            {"workers", settings.workers},      {"servers", settings.servers},
            {"slots", settings.slots},          {"seed", settings.seed},
            {"failovers", settings.failovers},  {"faults", faults},
            {"not_done", settings.not_done}};
}

}  // namespace

Summary summarise(const Settings& settings, const Findings& findings) {
    Summary summary;
    const std::vector<Complaint> complaints = judge(findings, summary.unavoidable);
    summary.settings = settings;
    summary.submitted_tasks = findings.acknowledged_tasks.size();
    summary.submitted_jobs = findings.acknowledged_jobs.size();
    summary.tasks = findings.tasks.size();
    summary.jobs = findings.jobs.size();
    count_tasks(findings, summary);
    count_lines(findings, summary);
    count_faults(findings, summary);
    summary.faults_skipped = findings.faults_skipped;
    summary.processes = findings.lives.size();
    for (const Breach breach : all_breaches) summary.breaches[breach] = 0;
    for (const Complaint& complaint : complaints) ++summary.breaches[complaint.breach];
    summary.complaints = complaints;
    summary.late_results = findings.late_results;
    summary.unexplained = unexplained_verdicts(findings, std::chrono::seconds(15));
    const std::vector<Duration> resumed = resume_times(findings);
    summary.resume = {findings.failovers.size(), resumed.size(), percentile(resumed, 0.5), percentile(resumed, 0.95),
                      percentile(resumed, 1)};
    summary.longest_stall = longest_stall(findings.tasks);
    if (findings.settled_at) summary.settled_after = *findings.settled_at - findings.faults_ended;
    summary.settle_bound = findings.settle_bound;
    return summary;
}

nlohmann::json to_json(const Summary& summary) {
    nlohmann::json json = {
        {"settings", settings_json(summary.settings)},
        {"kept_all_promises", summary.kept_all_promises()},
        {"submitted", {{"tasks", summary.submitted_tasks}, {"jobs", summary.submitted_jobs}}},
        {"tasks", {{"all", summary.tasks}, {"completed", summary.completed}, {"failed_by_policy", summary.failed}}},
        {"jobs", {{"all", summary.jobs}, {"completed", summary.completed_jobs}, {"failed", summary.failed_jobs}}},
        {"runs", {{"begun", summary.runs}, {"cut_short", summary.runs_cut_short}}},
        {"faults", {{"done", summary.faults}, {"skipped", summary.faults_skipped}}},
        {"processes_started", summary.processes},
        {"late_results_refused", summary.late_results},
        {"workers_judged", summary.verdicts},
        {"unexplained_verdicts", summary.unexplained},
        {"longest_stall_ms", in_milliseconds(summary.longest_stall)},
        {"settle_bound_ms", in_milliseconds(summary.settle_bound)},
        {"settled_after_ms",
         summary.settled_after ? nlohmann::json(in_milliseconds(*summary.settled_after)) : nlohmann::json(nullptr)}};
    for (const auto& [breach, count] : summary.breaches) {
        std::string key(to_text(breach));
        std::ranges::replace(key, ' ', '_');
        json["broken"][key] = count;
    }
    json["settle_ms"] = nlohmann::json::object();
    for (const auto& [evidence, figures] : summary.settle)
        json["settle_ms"][evidence] = {{"count", figures.count},
                                       {"p50", in_milliseconds(figures.p50)},
                                       {"p99", in_milliseconds(figures.p99)},
                                       {"max", in_milliseconds(figures.most)}};
    if (summary.resume.failovers > 0) {
        json["failovers"] = summary.resume.failovers;
        json["promotion_to_next_run_ms"] = {{"count", summary.resume.count},
                                            {"p50", in_milliseconds(summary.resume.p50)},
                                            {"p95", in_milliseconds(summary.resume.p95)},
                                            {"max", in_milliseconds(summary.resume.most)}};
        json["because_history_was_lost"] = {{"submits_lost_and_told", summary.unavoidable.submits_told},
                                            {"ran_again", summary.unavoidable.ran_again},
                                            {"two_at_once", summary.unavoidable.two_at_once}};
    }
    json["complaints"] = nlohmann::json::array();
    for (const Complaint& complaint : summary.complaints)
        json["complaints"].push_back({{"breach", to_text(complaint.breach)}, {"what", complaint.sentence}});
    return json;
}

std::string to_table(const Summary& summary) {
    const Settings& settings = summary.settings;
    std::string text;
    const auto row = [&](std::string_view what, const std::string& value) {
        text += fmt::format("{:<26}{}\n", what, value);
    };
    std::size_t faults = 0;
    for (const auto& [kind, count] : summary.faults) faults += count;
    text += fmt::format("chaos on {}: {}, {} workers with {} slots each, {} servers, seed {}\n\n",
                        to_text(settings.store), format_duration(settings.duration), settings.workers, settings.slots,
                        settings.servers, settings.seed);
    row("submitted", fmt::format("{} tasks, {} jobs", summary.submitted_tasks, summary.submitted_jobs));
    row("in the store",
        fmt::format("{} tasks with those of jobs, {} jobs with children", summary.tasks, summary.jobs));
    row("completed", fmt::format("{} tasks, {} jobs", summary.completed, summary.completed_jobs));
    row("failed by policy", fmt::format("{}; {} jobs", listed(summary.failed), summary.failed_jobs));
    row("runs", fmt::format("{} begun, {} cut short", summary.runs, summary.runs_cut_short));
    row("faults", fmt::format("{}: {}", faults, listed(summary.faults)));
    if (summary.faults_skipped > 0) row("", fmt::format("{} more found nothing to hit", summary.faults_skipped));
    for (const std::string& each : settings.not_done) row("not done", each);
    row("processes", fmt::format("{} workers and servers started", summary.processes));
    text += '\n';
    for (const auto& [breach, count] : summary.breaches) row(to_text(breach), std::to_string(count));
    text += '\n';
    if (summary.resume.failovers > 0) add_failovers(summary, row);
    row("late results refused", std::to_string(summary.late_results));
    row("workers judged", listed(summary.verdicts));
    row("unexplained verdicts",
        fmt::format("{} (silence of a process to which nothing was done)", summary.unexplained));
    row("longest stall", shown(summary.longest_stall));
    row("settled", summary.settled_after
                       ? fmt::format("{} after the last fault (bound {})", shown(*summary.settled_after),
                                     format_duration(summary.settle_bound))
                       : fmt::format("NOT within {}", format_duration(summary.settle_bound)));
    text += fmt::format("\n{:<26}{:>8}{:>12}{:>12}{:>12}\n", "blow to settled, by evidence", "count", "p50", "p99",
                        "max");
    for (const auto& [evidence, figures] : summary.settle)
        text += fmt::format("{:<28}{:>6}{:>12}{:>12}{:>12}\n", evidence, figures.count, shown(figures.p50),
                            shown(figures.p99), shown(figures.most));
    text += '\n';
    for (std::size_t i = 0; i < std::min(complaints_shown, summary.complaints.size()); ++i)
        text +=
            fmt::format("BROKEN: {}: {}\n", to_text(summary.complaints[i].breach), summary.complaints[i].sentence);
    if (summary.complaints.size() > complaints_shown)
        text += fmt::format("... and {} more\n", summary.complaints.size() - complaints_shown);
    text += summary.kept_all_promises() ? "every promise was kept\n" : "A PROMISE WAS BROKEN\n";
    return text;
}

}  // namespace holdfast::chaos
