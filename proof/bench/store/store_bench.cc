// Measures the stores; docs/performance.md says how to read it.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <iostream>

#include "proof/bench/store/measures.h"
#include "proof/bench/store/peer.h"

namespace {

using namespace holdfast::bench;

struct Options {
    std::string postgres;
    std::string folder = ".";
    std::string json;
    CycleParams cycle;
    ClaimCostParams claim;
    JobCostParams jobs;
    BeatsParams beats;
    std::string work_options = "{}";
};

std::vector<Subject> subjects(const Options& options) {
    std::vector<Subject> all;
    if (!options.folder.empty())
        all.push_back({"sqlite", [&options] { return make_sqlite_scratch(options.folder); }, make_sqlite_floor});
    if (!options.postgres.empty())
        all.push_back(
            {"postgres", [&options] { return make_postgres_scratch(options.postgres); }, make_postgres_floor});
    return all;
}

void report(const Options& options, const std::vector<Figure>& figures, const Titles& titles) {
    print_table(std::cout, figures, titles);
    if (options.json.empty()) return;
    std::ofstream file(options.json);
    print_json(file, figures);
    if (!file.flush()) throw std::runtime_error("cannot write " + options.json);
}

void run_all(const Options& options, const Titles& titles,
             const std::function<std::vector<Figure>(const Subject&)>& measure) {
    std::vector<Figure> figures;
    for (const auto& subject : subjects(options)) {
        std::cout << subject.store << ": " << subject.make_database()->settings() << '\n';
        const auto measured = measure(subject);
        figures.insert(figures.end(), measured.begin(), measured.end());
    }
    std::cout << '\n';
    report(options, figures, titles);
}

void add_where(CLI::App& command, Options& options) {
    command.add_option("--postgres", options.postgres,
                       "libpq URI of a server to create scratch databases on; none: SQLite only");
    command.add_option("--folder", options.folder, "Where to put SQLite scratch files; empty: PostgreSQL only");
    command.add_option("--json", options.json, "Also write the figures to this file, one object per line");
}

void add_commands(CLI::App& app, Options& options) {
    app.require_subcommand(1);
    auto* cycle =
        app.add_subcommand("cycle", "Bulk submit, then claim + start + finish, beside the same changes as bare SQL");
    add_where(*cycle, options);
    cycle->add_option("--tasks", options.cycle.tasks, "How many tasks");
    cycle->add_option("--batch", options.cycle.batch, "Tasks per claim");
    cycle->add_option("--connections", options.cycle.connections, "Numbers of connections, 1,2,8")->delimiter(',');
    cycle->add_option("--runs", options.cycle.runs, "Runs of each; the median is shown");
    cycle->callback([&options] {
        run_all(options, {.floor = "bare SQL"},
                [&](const Subject& subject) { return measure_cycle(subject, options.cycle); });
    });

    auto* claim = app.add_subcommand("claim", "The cost of a claim before long queues and behind unrunnable tasks");
    add_where(*claim, options);
    claim->add_option("--pending", options.claim.pending, "Lengths of the queue")->delimiter(',');
    claim->add_option("--unrunnable", options.claim.unrunnable, "How many unrunnable tasks stand ahead");
    claim->add_option("--batch", options.claim.batch, "Tasks per claim");
    claim->add_option("--claims", options.claim.claims, "Claims to take the median of");
    claim->callback([&options] {
        run_all(options, {.floor = "shortest queue"},
                [&](const Subject& subject) { return measure_claim_cost(subject, options.claim); });
    });

    auto* jobs = app.add_subcommand("jobs", "The cost of a step in jobs of growing size");
    add_where(*jobs, options);
    jobs->add_option("--steps", options.jobs.steps, "Sizes of the jobs, 100,1000,10000")->delimiter(',');
    jobs->add_option("--batch", options.jobs.batch, "Tasks per claim");
    jobs->add_option("--runs", options.jobs.runs, "Runs of each; the median is shown");
    jobs->callback([&options] {
        run_all(options, {.floor = "smallest job"},
                [&](const Subject& subject) { return measure_job_cost(subject, options.jobs); });
    });

    auto* beats = app.add_subcommand("beats", "How long a beat takes beside processes that write flat out");
    add_where(*beats, options);
    beats->add_option("--writers", options.beats.writers, "How many processes write");
    beats->add_option("--batch", options.beats.batch, "Tasks per submit");
    beats->add_option("--beats", options.beats.beats, "How many beats, 10 ms apart")->check(CLI::PositiveNumber);
    beats->callback([&options] {
        run_all(options, {.value = "time", .floor = "alone"},
                [&](const Subject& subject) { return measure_beats(subject, options.beats); });
    });

    app.add_subcommand("produce", "Answer the commands of a comparison of queues")->callback([] { produce(); });
    auto* work = app.add_subcommand("work", "Be the worker in a comparison of queues");
    work->add_option("OPTIONS", options.work_options, "JSON");
    work->callback([&options] { holdfast::bench::work(options.work_options); });
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app("Measures the stores");
    add_commands(app, options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error);
    } catch (const std::exception& error) {
        std::cerr << "store_bench: " << error.what() << '\n';
        return 1;
    }
    return 0;
}
