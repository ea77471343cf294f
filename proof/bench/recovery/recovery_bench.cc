#include <CLI/CLI.hpp>
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "holdfast/runner_main.h"
#include "proof/bench/recovery/functions.h"
#include "proof/bench/recovery/rounds.h"
#include "proof/bench/recovery/workers.h"

namespace {

using namespace holdfast::bench;

const std::map<std::string, Death> deaths = {{"runner", Death::Runner},
                                             {"worker", Death::Worker},
                                             {"claimer", Death::Claimer},
                                             {"silent", Death::Silent},
                                             {"cut", Death::Cut}};

/// Values in growing order.
double share_of(const std::vector<double>& sorted, double share) {
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

void print(const std::string& death, const std::string& what, const std::vector<double>& milliseconds) {
    if (milliseconds.empty()) return;
    std::cout << std::left << std::setw(9) << death << std::setw(9) << what << std::right << std::fixed
              << std::setprecision(1) << std::setw(6) << milliseconds.size() << std::setw(10)
              << share_of(milliseconds, 0.5) << std::setw(10) << share_of(milliseconds, 0.99) << std::setw(10)
              << milliseconds.back() << " ms\n";
}

nlohmann::json to_json(const std::vector<double>& milliseconds) {
    if (milliseconds.empty()) return nullptr;
    return {{"count", milliseconds.size()},
            {"p50_ms", share_of(milliseconds, 0.5)},
            {"p99_ms", share_of(milliseconds, 0.99)},
            {"longest_ms", milliseconds.back()}};
}

void print(const std::string& death, const RecoveryFigures& figures) {
    std::cout << "death    tasks     count       p50       p99       max\n";
    print(death, "settled", figures.settled);
    print(death, "again", figures.again);
    std::cout << "lost " << figures.lost << ", run more often than their policy allows " << figures.doubled
              << std::endl;
}

int measure(const RecoveryParams& params, const std::string& death, bool as_json) {
    RecoveryFigures figures = measure_recovery(params);
    std::ranges::sort(figures.settled);
    std::ranges::sort(figures.again);
    if (as_json)
        std::cout << nlohmann::json{{"death", death},
                                    {"settled", to_json(figures.settled)},
                                    {"again", to_json(figures.again)},
                                    {"lost", figures.lost},
                                    {"doubled", figures.doubled}}
                  << std::endl;
    else
        print(death, figures);
    return figures.lost + figures.doubled == 0 ? 0 : 1;
}

void add_words(CLI::App& command, WorkerWords& words) {
    command.add_option("--store", words.store)->required();
    command.add_option("--name", words.name);
    command.add_option("--queue", words.queue);
    command.add_option("--capacity", words.capacity);
    command.add_flag("--sweep", words.sweeps);
}

}  // namespace

int main(int argc, char** argv) {
    if (const auto exit_code = holdfast::runner_main(argc, argv, recovery_functions())) return *exit_code;
    CLI::App program("Measures how long recovery takes, from a ledger that the tasks write");
    program.require_subcommand(1);
    WorkerWords words;
    RecoveryParams params;
    std::string death = "worker";
    bool as_json = false;
    int result = 0;
    auto* worker = program.add_subcommand("worker", "A worker of a measurement");
    add_words(*worker, words);
    worker->callback([&] { result = be_worker(words); });
    auto* claimer = program.add_subcommand("claimer", "A worker that claims and starts nothing");
    add_words(*claimer, words);
    claimer->callback([&] { result = be_claimer(words); });
    auto* measuring = program.add_subcommand("measure", "Kill workers, and see how long their tasks wait");
    measuring->add_option("--store", params.store, "An empty store")->required();
    measuring->add_option("--death", death, "runner, worker, claimer, silent or cut")->check(CLI::IsMember(deaths));
    measuring->add_option("--kills", params.kills, "How many");
    measuring->add_option("--at-once", params.at_once, "Workers of one round");
    measuring->add_flag("--json", as_json, "Print one object");
    measuring->add_option("--through", params.through, "Of cut: the command that starts workers elsewhere");
    measuring->add_option("--victims-store", params.victims_store, "Of cut: the store as they reach it");
    measuring->add_option("--cut", params.cut, "Of cut: the command that cuts them off");
    measuring->add_option("--mend", params.mend, "Of cut: the command that undoes it");
    measuring->callback([&] {
        params.death = deaths.at(death);
        result = measure(params, death, as_json);
    });
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return program.exit(error);
    } catch (const std::exception& error) {
        std::cerr << "recovery_bench: " << error.what() << '\n';
        return 1;
    }
    return result;
}
