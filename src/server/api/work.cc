#include <charconv>

#include "base/text.h"
#include "core/task/verdict.h"
#include "server/api/resources.h"
#include "server/api/work_bindings.h"
#include "views/work.h"

namespace holdfast::api {

namespace {

constexpr std::size_t most_slots = 10'000;
constexpr Duration shortest_beat_interval = std::chrono::milliseconds(100);
constexpr Duration longest_beat_interval = std::chrono::minutes(2);

void require_protocol(const Call& call) {
    const std::string_view said = call.request.header(protocol_header);
    int version = 0;
    const auto [end, fault] = std::from_chars(said.data(), said.data() + said.size(), version);
    const bool is_number = fault == std::errc() && end == said.data() + said.size();
    if (is_number && version >= views::oldest_work_protocol && version <= views::newest_work_protocol) return;
    throw Problem("PROTOCOL_MISMATCH",
                  concat("this server speaks the versions ", views::oldest_work_protocol, " to ",
                         views::newest_work_protocol, " of the worker protocol, and the worker ",
                         said.empty() ? "names none in the header Holdfast-Protocol" : concat("version ", said),
                         ": use a worker and a server whose releases are at most one apart"));
}

/// Says what is wrong with a body that could not be read.
[[noreturn]] void refuse_misfit(const Call& call, const std::exception& misfit) {
    const auto faults = schema::faults_of(Value::parse(call.request.body), schemas().at(call.route.body), schemas());
    if (faults.empty()) throw Problem("BAD_PARAMETER", misfit.what());
    const std::string subject = faults.front().where.empty() ? "the body" : faults.front().where;
    throw Problem("BAD_PARAMETER", concat(subject, " ", faults.front().detail), faults);
}

/// Reads the body. The schema is consulted only when that fails: checking it costs more than reading.
template <typename Record>
Record read(const Call& call) {
    require_protocol(call);
    try {
        return views::from_json_shape<Record>(Json::parse(call.request.body));
    } catch (const std::invalid_argument& misfit) {
        refuse_misfit(call, misfit);
    } catch (const nlohmann::json::exception& misfit) {
        refuse_misfit(call, misfit);
    }
}

std::string secret_hash_of(const Call& call) {
    const std::string_view secret = call.request.header(worker_secret_header);
    if (!looks_like_worker_secret(secret))
        throw Problem("FORBIDDEN",
                      "a worker's call carries its secret in the header Holdfast-Worker-Secret: 'hw_' and 43 "
                      "characters of base64url, drawn when it starts");
    return hash_token_secret(secret);
}

/// Returns the whole store, for a call of that worker.
store::Store& store_for(Call& call, const Uuid& worker) {
    const std::string hash = secret_hash_of(call);
    store::Store& store = call.whole_store();
    call.services.work_bindings.require(store, worker, hash, call.caller);
    return store;
}

void require_range(std::string_view what, bool holds, std::string_view allowed) {
    if (!holds) throw Problem("BAD_PARAMETER", concat(what, " must be ", allowed));
}

void check(const store::WorkerRegistration& worker) {
    require_range("queues", !worker.queues.empty(), "one or more");
    require_range("capacity", worker.capacity >= 1 && worker.capacity <= static_cast<int>(most_slots),
                  "from 1 to 10000");
    require_range("beat_interval",
                  worker.beat_interval >= shortest_beat_interval && worker.beat_interval <= longest_beat_interval,
                  "from 0.1 to 120 seconds");
    require_range("fence_after",
                  worker.fence_after >= worker.beat_interval && worker.fence_after <= core::longest_fence,
                  "from beat_interval to 3600 seconds");
}

void check(const store::TurnParams& turn) {
    require_range("to_start and to_hold", turn.to_start <= most_slots && turn.to_hold <= most_slots,
                  "from 0 to 10000");
    for (const auto& run : turn.finish) require_range("jitter", run.jitter >= 0 && run.jitter < 1, "from 0 to 1");
}

}  // namespace

http::Reply show_work_protocol(Call& call) {
    return answer(views::WorkWelcome{.version = call.services.parts.version,
                                     .max_body_bytes = call.services.parts.max_body_bytes});
}

http::Reply register_work(Call& call) {
    auto worker = read<store::WorkerRegistration>(call);
    check(worker);
    worker.via = store::Via::Server;
    worker.secret_hash = secret_hash_of(call);
    store::Store& store = call.whole_store();
    call.services.work_bindings.require_registrable(store, worker, call.caller);
    return answer(store.register_worker(worker));
}

http::Reply beat_work(Call& call) {
    const auto beat = read<store::BeatParams>(call);
    return answer(store_for(call, beat.worker).beat(beat));
}

http::Reply turn_work(Call& call) {
    const auto turn = read<store::TurnParams>(call);
    check(turn);
    return answer(store_for(call, turn.worker).turn(turn));
}

http::Reply save_work_progress(Call& call) {
    const auto progress = read<views::WorkProgress>(call);
    store::Store& store = store_for(call, progress.worker);
    return answer(views::WorkFenced{store.save_progress(progress.worker, progress.reports)});
}

http::Reply append_work_logs(Call& call) {
    const auto logs = read<views::WorkLogs>(call);
    store::Store& store = store_for(call, logs.worker);
    const Timestamp now = store.now();
    std::vector<store::LogChunk> chunks;
    for (const auto& each : logs.chunks) chunks.emplace_back(each.chunk).at = now - each.age;
    return answer(views::WorkFenced{store.append_logs(logs.worker, chunks)});
}

http::Reply append_work_state(Call& call) {
    const auto state = read<views::WorkState>(call);
    store_for(call, state.snapshot.worker).append_worker_snapshot(state.snapshot);
    return answer(views::WorkDone{true});
}

http::Reply leave_work(Call& call) {
    const auto leave = read<views::WorkLeave>(call);
    return answer(views::WorkDone{store_for(call, leave.worker).deregister_worker(leave.worker)});
}

http::Reply testify_work(Call& call) {
    const auto leave = read<views::WorkLeave>(call);
    const bool is_noted = store_for(call, leave.worker).note_exited(leave.worker);
    if (is_noted) call.services.parts.worker_has_died();
    return answer(views::WorkDone{is_noted});
}

http::Reply stream_work(Call& call) {
    require_protocol(call);
    const auto worker = Uuid::parse(call.text("worker"));
    if (!worker) throw Problem("BAD_PARAMETER", "?worker must be the id of the worker");
    (void)store_for(call, *worker);
    return http::EventStream{.headers = {}, .source = call.services.work_streams.open(*worker, call.caller)};
}

}  // namespace holdfast::api
