#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ostream>

#include "base/text.h"
#include "cli/terminal/words.h"
#include "platform/system_random.h"
#include "proof/bench/bench.h"
#include "proof/chaos/chaos_run.h"

namespace holdfast::proof {

namespace {

using chaos::FaultKind;
using chaos::StoreKind;

struct ChaosFlags {
    std::string store = "both";
    std::string duration = "30s";
    int workers = 4;
    int servers = 2;
    std::optional<std::uint64_t> seed;
    std::vector<std::string> faults;
    std::string output;
};

std::vector<StoreKind> stores_of(const std::string& word) {
    if (word == "sqlite") return {StoreKind::Sqlite};
    if (word == "postgres") return {StoreKind::Postgres};
    return {StoreKind::Sqlite, StoreKind::Postgres};
}

/// Those that were asked for, as far as the store knows them; all, when none was.
std::vector<FaultKind> faults_of(const ChaosFlags& flags, StoreKind store) {
    std::vector<FaultKind> known = chaos::faults_for(store);
    if (flags.faults.empty()) return known;
    std::vector<FaultKind> chosen;
    for (const std::string& word : flags.faults) {
        const auto kind = chaos::parse_fault(word);
        std::vector<std::string> allowed;
        for (const FaultKind each : chaos::faults_for(StoreKind::Postgres)) allowed.emplace_back(to_text(each));
        if (!kind) refuse_word("--faults", word, allowed);
        if (std::ranges::count(known, *kind) > 0 && std::ranges::count(chosen, *kind) == 0) chosen.push_back(*kind);
    }
    return chosen;
}

ExitCode run_on(Session& session, const ChaosFlags& flags, StoreKind store) {
    platform::SystemRandom random;
    chaos::ChaosParams params;
    params.settings = {.store = store,
                       .duration = read_duration("--duration", flags.duration),
                       .workers = flags.workers,
                       .servers = flags.servers,
                       .seed = flags.seed.value_or(random.next() % 1'000'000),
                       .faults = faults_of(flags, store)};
    params.output = flags.output;
    if (session.io.terminal && !session.globals.json)
        params.say = [&](const std::string& news) { session.io.err << news << '\n'; };
    const chaos::ChaosResult result = chaos::run_chaos(std::move(params));
    if (session.globals.json) {
        session.io.out << to_json(result.summary).dump() << '\n';
    } else {
        session.io.out << to_table(result.summary);
        if (!result.kept.empty()) session.io.out << "see " << result.kept << '\n';
        session.io.out << '\n';
    }
    session.io.out.flush();
    return result.summary.kept_all_promises() ? ExitCode::Done : ExitCode::Failed;
}

ExitCode run_all(Session& session, const ChaosFlags& flags) {
    ExitCode worst = ExitCode::Done;
    try {
        for (const StoreKind store : stores_of(flags.store)) worst = std::max(worst, run_on(session, flags, store));
    } catch (const Error&) {
        throw;
    } catch (const std::runtime_error& problem) {  // the machine lacks something, or somebody had enough of it
        session.io.err << "holdfast: the chaos run did not come to its end: " << problem.what() << '\n';
        return ExitCode::Failed;
    }
    return worst;
}

}  // namespace

void add_bench_chaos(CLI::App& bench, Action& chosen) {
    auto given = std::make_shared<ChaosFlags>();
    auto* command = bench.add_subcommand(
        "chaos",
        "Kill, stop and cut off real processes under load, and count what was lost, run twice or judged wrongly");
    command->add_option("--store", given->store, "Where: sqlite, postgres or both (default), each made for the run")
        ->check(CLI::IsMember({"sqlite", "postgres", "both"}));
    command->add_option("--duration", given->duration, "For how long faults come (default: 30s)")->type_name("TIME");
    command->add_option("--workers", given->workers, "How many workers (default: 4)")->check(CLI::Range(1, 100));
    command->add_option("--servers", given->servers, "How many processes that only sweep (default: 2)")
        ->check(CLI::Range(0, 100));
    command->add_option("--seed", given->seed, "Draws the faults and the load (default: another one each time)")
        ->type_name("N");
    command->add_option("--faults", given->faults, "Only these kinds, with commas (default: all)")
        ->delimiter(',')
        ->type_name("LIST");
    command->add_option("--output", given->output, "Keep figures, picture and, if a promise is broken, all evidence")
        ->type_name("DIR");
    command->callback([given, &chosen] { chosen = [given](Session& session) { return run_all(session, *given); }; });
}

}  // namespace holdfast::proof
