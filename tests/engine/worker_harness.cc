#include "tests/engine/worker_harness.h"

namespace holdfast::engine::testing {

namespace {

WorkerSettings completed(WorkerSettings settings, int capacity, ClaimsGo claims_go) {
    settings.claims_go = claims_go;
    settings.registration.capacity = capacity;
    settings.registration.name = "bench";
    return settings;
}

store::TurnAnswer answer_to(const store::TurnParams& turn, store::Fenced fenced) {
    return {.finished = std::vector<store::FinishOutcome>(turn.finish.size(), {.fenced = fenced}),
            .handed_back = std::vector(turn.hand_back.size(), fenced),
            .started = std::vector(turn.start.size(), fenced)};
}

store::ClaimedTask task_with(store::Lease lease, bool started) {
    store::ClaimedTask task;
    Uuid::Bytes bytes{};
    for (std::size_t i = 0; i < 8; ++i) bytes[15 - i] = static_cast<std::uint8_t>(lease >> (8 * i));
    task.task.id = Uuid(bytes);
    task.task.name = "work";
    task.lease = lease;
    task.started = started;
    return task;
}

}  // namespace

store::ClaimedTask started_task(store::Lease lease) {
    return task_with(lease, true);
}

store::ClaimedTask held_task(store::Lease lease) {
    return task_with(lease, false);
}

std::filesystem::path scratch_folder() {
    const std::filesystem::path memory = "/dev/shm";
    return std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
}

WorkerHarness::WorkerHarness(int capacity, WorkerSettings given, ClaimsGo claims_go)
    : settings(completed(std::move(given), capacity, claims_go)), worker(settings, random) {}

void WorkerHarness::pass(Duration time) {
    constexpr Duration turn = seconds(1);  // as the service's loop turns, whatever happens
    for (; time > turn; time -= turn) stand_still(turn);
    stand_still(time);
}

void WorkerHarness::stand_still(Duration time) {
    now += time;
    for (Command& command : worker.decide(now)) {
        if (auto* call = std::get_if<CallStore>(&command)) {
            EXPECT_FALSE(calls_.contains(call->lane)) << "a second call on a lane";
            calls_[call->lane] = std::move(call->call);
        } else {
            commands_.push_back(std::move(command));
        }
    }
}

void WorkerHarness::join(std::int64_t rank) {
    decide();
    answer(Lane::Beat, store::RegisterAnswer{.number = 1, .rank = rank});
    store::BeatAnswer first;
    first.rank = rank;
    first.beat = 1;
    answer(Lane::Beat, first);
    for (const SpawnRunner& spawned : take<SpawnRunner>())
        tell(RunnerReady{spawned.runner, 100 + int(spawned.runner)});
    if (under_way<SnapshotCall>(Lane::Work) != nullptr) answer(Lane::Work, CallDone{});
}

void WorkerHarness::answer(Lane lane, const StoreAnswer& answer) {
    ASSERT_TRUE(calls_.contains(lane)) << "no call is under way";
    calls_.erase(lane);
    worker.answered(lane, answer, now);
    decide();
}

void WorkerHarness::grant(const std::vector<store::ClaimedTask>& tasks, std::optional<Duration> next_due) {
    const store::TurnParams* turn = claiming();
    ASSERT_NE(turn, nullptr);
    store::TurnAnswer applied = answer_to(*turn, store::Fenced::Applied);
    applied.claimed.tasks = tasks;
    applied.claimed.next_due = next_due;
    answer(*claim_lane(), applied);
}

void WorkerHarness::answer_work(store::Fenced fenced) {
    const auto* turn = under_way<TurnCall>(Lane::Work);
    answer(Lane::Work, turn == nullptr ? StoreAnswer(CallDone{}) : answer_to(turn->params, fenced));
}

std::optional<Lane> WorkerHarness::claim_lane() const {
    for (const Lane lane : {Lane::Work, Lane::Claim}) {
        const auto* turn = under_way<TurnCall>(lane);
        if (turn != nullptr && turn->params.claims()) return lane;
    }
    return std::nullopt;
}

const store::TurnParams* WorkerHarness::claiming() const {
    const auto lane = claim_lane();
    return lane ? &under_way<TurnCall>(*lane)->params : nullptr;
}

const store::TurnParams* WorkerHarness::finishing() const {
    const auto* turn = under_way<TurnCall>(Lane::Work);
    return turn != nullptr && !turn->params.finish.empty() ? &turn->params : nullptr;
}

const store::TurnParams* WorkerHarness::starting() const {
    const auto* turn = under_way<TurnCall>(Lane::Work);
    return turn != nullptr && !turn->params.start.empty() ? &turn->params : nullptr;
}

const store::TurnParams* WorkerHarness::handing_back() const {
    const auto* turn = under_way<TurnCall>(Lane::Work);
    return turn != nullptr && !turn->params.hand_back.empty() ? &turn->params : nullptr;
}

void WorkerHarness::tell(const RunnerEvent& event) {
    worker.handle(event, now);
    decide();
}

void WorkerHarness::complete(store::Lease lease) {
    tell(RunEnded{.runner = runner_of(lease), .lease = lease, .completed = true, .result = "1"});
}

}  // namespace holdfast::engine::testing
