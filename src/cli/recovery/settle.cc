#include <fmt/format.h>

#include <ostream>

#include "cli/commands.h"
#include "cli/terminal/words.h"
#include "engine/recovery/manual_recovery.h"
#include "platform/system_random.h"
#include "server/remote/server_calls.h"
#include "views/recovery.h"

namespace holdfast::cli {

namespace {

struct Settling {
    const char* word;
    const char* help;
    const char* key;  // the key with the default value
    Duration config::RecoveryConfig::*threshold;
    engine::ManualAnswer (*settle)(store::RecoveryStore&, Random&, const engine::ManualParams&);
    const char* done;
};
constexpr Settling settlings[] = {
    {"fail-running", "End stale RUNNING tasks as crashed, each by its policy", "recovery.running_stale_threshold_ms",
     &config::RecoveryConfig::running_stale_threshold, engine::fail_stale_running, "ended as crashed"},
    {"requeue-claimed", "Send stale CLAIMED tasks back to PENDING", "recovery.claimed_stale_threshold_ms",
     &config::RecoveryConfig::claimed_stale_threshold, engine::requeue_stale_claimed, "requeued"},
};

engine::ManualAnswer settled(const Session& session, const Settling& settling,
                             const std::optional<Duration>& threshold) {
    if (const auto server = session.server()) return remote::settle(*server, settling.word, threshold);
    const config::Config config = session.load_config();
    const auto store = session.open_store_itself(config, Access::AsItIs);
    platform::SystemRandom random;
    return settling.settle(
        *store, random, {.threshold = threshold.value_or(config.recovery.*settling.threshold), .who = session.who()});
}

ExitCode settle(Session& session, const Settling& settling, const std::string& threshold) {
    const auto given = read_duration_if_given("--threshold", threshold);
    const engine::ManualAnswer answer = settled(session, settling, given);
    if (session.globals.json) {
        session.print(views::to_json_shape(answer));
        return ExitCode::Done;
    }
    session.io.out << fmt::format("{} {}\n", answer.settled, settling.done);
    if (answer.asked > 0)
        session.io.out << fmt::format(
            "{} asked to stop: their workers may live, and confirm; look again with 'holdfast recovery stale'\n",
            answer.asked);
    return ExitCode::Done;
}

}  // namespace

void add_recovery_settle(Command& recovery) {
    for (const Settling& settling : settlings) {
        auto [command, threshold] = recovery.add<std::string>(
            settling.word, settling.help,
            [&settling](Session& session, const std::string& given) { return settle(session, settling, given); });
        command.text("--threshold", threshold, "DURATION",
                     fmt::format("Quiet for longer than this (default: {})", settling.key));
    }
}

}  // namespace holdfast::cli
