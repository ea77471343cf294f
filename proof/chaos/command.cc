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
    int failovers = 0;
    std::vector<std::string> ports;
    std::string cluster_url;
    std::string promotions_file;
    std::string output;
};

std::vector<StoreKind> stores_of(const std::string& word) {
    if (word == "sqlite") return {StoreKind::Sqlite};
    if (word == "postgres") return {StoreKind::Postgres};
    if (word == "cluster") return {StoreKind::Cluster};
    return {StoreKind::Sqlite, StoreKind::Postgres};
}

/// The chosen faults that this store can have; all, when none was chosen.
std::vector<FaultKind> faults_of(const ChaosFlags& flags, StoreKind store) {
    std::vector<FaultKind> known = chaos::faults_for(store);
    if (!flags.cluster_url.empty()) std::erase_if(known, chaos::is_of_cluster);  // another program does these
    if (flags.faults.empty()) return known;
    std::vector<FaultKind> chosen;
    for (const std::string& word : flags.faults) {
        const auto kind = chaos::parse_fault(word);
        std::vector<std::string> allowed;
        for (const FaultKind each : chaos::all_faults()) allowed.emplace_back(to_text(each));
        if (!kind) cli::refuse_word("--faults", word, allowed);
        if (std::ranges::count(known, *kind) > 0 && std::ranges::count(chosen, *kind) == 0) chosen.push_back(*kind);
    }
    return chosen;
}

std::vector<int> ports_of(const ChaosFlags& flags) {
    std::vector<int> ports;
    for (const std::string& each : flags.ports) ports.push_back(cli::read_whole_number("--ports", each));
    if (!ports.empty() && ports.size() != 3)
        throw BadInput("--ports names three ports, one for each node of the cluster");
    return ports;
}

/// A run that waits for failovers must have some.
void check_failovers(const ChaosFlags& flags, const std::vector<FaultKind>& faults) {
    if (flags.failovers > 0 && std::ranges::none_of(faults, chaos::is_failover))
        throw BadInput(
            "--failovers counts the failovers of a cluster: use it with --store cluster and a fault such as "
            "promote-standby");
}

ExitCode run_on(Session& session, const ChaosFlags& flags, StoreKind store) {
    platform::SystemRandom random;
    chaos::ChaosParams params;
    params.settings = {.store = store,
                       .duration = cli::read_duration("--duration", flags.duration),
                       .workers = flags.workers,
                       .servers = flags.servers,
                       .seed = flags.seed.value_or(random.next() % 1'000'000),
                       .failovers = flags.failovers,
                       .faults = faults_of(flags, store)};
    check_failovers(flags, params.settings.faults);
    params.ports = ports_of(flags);
    params.cluster_url = flags.cluster_url;
    params.promotions_file = flags.promotions_file;
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
    command.one_of(
        "--store", given.store, {"sqlite", "postgres", "both", "cluster"},
        "Where: sqlite, postgres, both (default), or a cluster of three PostgreSQL nodes, made for the run");
    command.text("--duration", given.duration, "TIME", "For how long faults come (default: 30s)");
    command.number_within("--workers", given.workers, 1, 100, "How many workers (default: 4)");
    command.number_within("--servers", given.servers, 0, 100, "How many processes that only sweep (default: 2)");
    command.number("--seed", given.seed, "N", "Draws the faults and the load (default: another one each time)");
    command.comma_separated("--faults", given.faults, "LIST", "Only these kinds, with commas (default: all)");
    command.number_within("--failovers", given.failovers, 1, 100'000,
                          "End after so many failovers instead of by time");
    command.comma_separated("--ports", given.ports, "LIST", "Loopback ports of the three nodes (default: free ones)");
    command.text("--cluster-url", given.cluster_url, "URL", "Use an empty cluster that another program fails over");
    command.text("--promotions", given.promotions_file, "FILE",
                 "Where that program notes promotions, in UNIX seconds");
    command.text("--output", given.output, "DIR", "Keep figures, picture and, if a promise is broken, all evidence");
}

}  // namespace holdfast::proof
