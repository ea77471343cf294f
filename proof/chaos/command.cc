#include <fmt/format.h>

#include <ostream>

#include "base/text.h"
#include "cli/session.h"
#include "cli/terminal/words.h"
#include "platform/system_random.h"
#include "proof/chaos/chaos_run.h"
#include "proof/commands.h"

namespace holdfast::proof {

namespace {

using chaos::FaultKind;
using chaos::StoreKind;
using cli::ExitCode;
using cli::Session;

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

/// The chosen faults that this store can have; all, when none was chosen.
std::vector<FaultKind> faults_of(const ChaosFlags& flags, StoreKind store) {
    std::vector<FaultKind> known = chaos::faults_for(store);
    if (flags.faults.empty()) return known;
    std::vector<FaultKind> chosen;
    for (const std::string& word : flags.faults) {
        const auto kind = chaos::parse_fault(word);
        std::vector<std::string> allowed;
        for (const FaultKind each : chaos::faults_for(StoreKind::Postgres)) allowed.emplace_back(to_text(each));
        if (!kind) cli::refuse_word("--faults", word, allowed);
        if (std::ranges::count(known, *kind) > 0 && std::ranges::count(chosen, *kind) == 0) chosen.push_back(*kind);
    }
    return chosen;
}

ExitCode run_on(Session& session, const ChaosFlags& flags, StoreKind store) {
    platform::SystemRandom random;
    chaos::ChaosParams params;
    params.settings = {.store = store,
                       .duration = cli::read_duration("--duration", flags.duration),
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
    } catch (const std::runtime_error& problem) {  // the machine lacks something, or it was interrupted
        session.io.err << "holdfast: the chaos run did not come to its end: " << problem.what() << '\n';
        return ExitCode::Failed;
    }
    return worst;
}

}  // namespace

void add_bench_chaos(cli::Command& bench) {
    auto [command, given] = bench.add(
        "chaos",
        "Kill, stop and cut off real processes under load, and count what was lost, run twice or judged wrongly",
        run_all);
    command.one_of("--store", given.store, {"sqlite", "postgres", "both"},
                   "Where: sqlite, postgres or both (default), each made for the run");
    command.text("--duration", given.duration, "TIME", "For how long faults come (default: 30s)");
    command.number_within("--workers", given.workers, 1, 100, "How many workers (default: 4)");
    command.number_within("--servers", given.servers, 0, 100, "How many processes that only sweep (default: 2)");
    command.number("--seed", given.seed, "N", "Draws the faults and the load (default: another one each time)");
    command.comma_separated("--faults", given.faults, "LIST", "Only these kinds, with commas (default: all)");
    command.text("--output", given.output, "DIR", "Keep figures, picture and, if a promise is broken, all evidence");
}

}  // namespace holdfast::proof
