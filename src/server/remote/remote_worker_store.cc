#include "server/remote/remote_worker_store.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "store/admission.h"

namespace holdfast::remote {

namespace {

using store::Fenced;

/// Longer than the store's own deadlines, so that its answer arrives: 2 s for beats, 10 s for work.
constexpr Duration beat_timeout = std::chrono::milliseconds(2500);
constexpr Duration work_timeout = std::chrono::seconds(11);
/// The server checks sizes by its own configuration.
constexpr store::Limits any_size = {.max_payload_bytes = std::size_t{1} << 30, .terminal_retention = std::nullopt};

template <typename Answer, typename Request>
Answer ask(WorkConnection& connection, const std::string& path, const Request& request) {
    return views::from_json_shape<Answer>(connection.post(path, views::dump(views::to_json_shape(request))));
}

/// Calls `send` for all items, or for halves of them when they are more than a server takes in one request, and joins
/// the answers. A single item that is too large is given to `refuse`.
template <typename Item, typename Send, typename Refuse>
auto send_in_parts(const std::vector<Item>& items, const Send& send, const Refuse& refuse) -> decltype(send(items)) {
    try {
        return send(items);
    } catch (const BodyTooLarge& failure) {
        if (items.size() == 1) return refuse(items.front(), failure);
        if (items.empty()) throw;
    }
    const auto middle = items.begin() + static_cast<std::ptrdiff_t>(items.size() / 2);
    auto answers = send_in_parts(std::vector<Item>(items.begin(), middle), send, refuse);
    for (auto& answer : send_in_parts(std::vector<Item>(middle, items.end()), send, refuse))
        answers.push_back(std::move(answer));
    return answers;
}

/// JSON carries only valid text.
store::TurnParams as_text(store::TurnParams turn) {
    for (auto& run : turn.finish) run = store::storable(std::move(run), any_size);
    return turn;
}

store::FinishedRun too_large(const store::FinishedRun& run, const std::string& why) {
    store::FinishedRun failed = run;
    failed.end = core::LeaseEnd::Failed;
    failed.result.clear();
    failed.error = {std::string(error_code::result_too_large), why, ""};
    return failed;
}

class WorkerWatch final : public store::Watch {
public:
    explicit WorkerWatch(std::shared_ptr<WorkBell> bell) : bell_(std::move(bell)) {}
    bool wait(Duration at_most) override { return bell_->wait(at_most); }
    void wake() override { bell_->ring(); }

private:
    const std::shared_ptr<WorkBell> bell_;
};

}  // namespace

RemoteWorkerStore::RemoteWorkerStore(std::shared_ptr<WorkServers> servers, const Clock& clock)
    : servers_(std::move(servers)), clock_(clock), beats_(servers_, beat_timeout), work_(servers_, work_timeout) {
    beats_.meet();
}

store::RegisterAnswer RemoteWorkerStore::register_worker(const store::WorkerRegistration& worker) {
    store::check_worker(worker);
    auto answer = ask<store::RegisterAnswer>(beats_, "/api/work/register", worker);
    const std::lock_guard lock(mutex_);
    if (!reader_) reader_ = std::make_unique<WorkStreamReader>(servers_, worker.id, work_bell_, orders_bell_);
    return answer;
}

bool RemoteWorkerStore::deregister_worker(const Uuid& worker) {
    {
        const std::lock_guard lock(mutex_);
        reader_.reset();
    }
    try {
        return ask<views::WorkDone>(work_, "/api/work/leave", views::WorkLeave{worker}).done;
    } catch (const UnknownWorker&) {
        return false;
    }
}

store::BeatAnswer RemoteWorkerStore::beat(const store::BeatParams& params) {
    try {
        return ask<store::BeatAnswer>(beats_, "/api/work/beat", params);
    } catch (const UnknownWorker&) {
        return {.known = false, .rank = params.acknowledged.rank, .lost = {}, .stop = {}, .unlisted = {}};
    } catch (const BodyTooLarge&) {
        if (params.progress.empty()) throw;
    }
    (void)save(beats_, params.worker, params.progress);
    store::BeatParams rest = params;
    rest.progress.clear();
    return beat(rest);
}

/// What is finished in parts is finished before the rest of the turn, as in one turn.
store::TurnAnswer RemoteWorkerStore::turn(const store::TurnParams& params) {
    if (params.asks_for_nothing()) return {};
    const store::TurnParams turn = as_text(params);
    try {
        return ask<store::TurnAnswer>(work_, "/api/work/turn", turn);
    } catch (const UnknownWorker&) {
        const bool only_claims = turn.finish.empty() && turn.hand_back.empty() && turn.start.empty();
        if (!only_claims) throw;
        return {.claimed = {.refusal = store::ClaimRefusal::UnknownWorker}};
    } catch (const BodyTooLarge&) {
        if (turn.finish.empty()) throw;
    }
    const auto finish = [&](std::vector<store::FinishedRun> runs) {
        const store::TurnParams part{.worker = turn.worker, .finish = std::move(runs)};
        return ask<store::TurnAnswer>(work_, "/api/work/turn", part).finished;
    };
    auto finished = send_in_parts(turn.finish, finish, [&](const auto& run, const BodyTooLarge& why) {
        return finish({too_large(run, why.what())});
    });
    store::TurnParams rest = turn;
    rest.finish.clear();
    store::TurnAnswer answer = this->turn(rest);
    answer.finished = std::move(finished);
    return answer;
}

std::vector<Fenced> RemoteWorkerStore::save_progress(const Uuid& worker,
                                                     const std::vector<store::ProgressReport>& reports) {
    return save(work_, worker, reports);
}

std::vector<Fenced> RemoteWorkerStore::save(WorkConnection& connection, const Uuid& worker,
                                            const std::vector<store::ProgressReport>& reports) {
    std::vector<Fenced> answers(reports.size(), Fenced::Refused);
    std::vector<store::ProgressReport> sent;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < reports.size(); ++i) {
        if (store::refusal(reports[i], any_size)) continue;
        sent.push_back(reports[i]);
        places.push_back(i);
    }
    if (sent.empty()) return answers;
    const auto send = [&](const std::vector<store::ProgressReport>& part) {
        return ask<views::WorkFenced>(connection, "/api/work/progress", views::WorkProgress{worker, part}).items;
    };
    const auto fenced =
        send_in_parts(sent, send, [](const auto&, const auto&) { return std::vector{Fenced::Refused}; });
    for (std::size_t i = 0; i < places.size(); ++i) answers.at(places[i]) = fenced.at(i);
    return answers;
}

std::vector<Fenced> RemoteWorkerStore::append_logs(const Uuid& worker, const std::vector<store::LogChunk>& chunks) {
    if (chunks.empty()) return {};
    std::vector<views::WorkLogChunk> aged;
    for (const auto& chunk : chunks) {
        aged.push_back({chunk, std::max(Duration::zero(), clock_.now() - chunk.at)});
        aged.back().chunk.text = store::readable_text(chunk.text, any_size.max_payload_bytes);
    }
    const auto send = [&](const std::vector<views::WorkLogChunk>& part) {
        return ask<views::WorkFenced>(work_, "/api/work/logs", views::WorkLogs{worker, part}).items;
    };
    return send_in_parts(aged, send, [](const auto&, const auto&) { return std::vector{Fenced::Refused}; });
}

void RemoteWorkerStore::append_worker_snapshot(const store::WorkerSnapshot& snapshot) {
    (void)ask<views::WorkDone>(work_, "/api/work/state", views::WorkState{snapshot});
}

std::unique_ptr<store::Watch> RemoteWorkerStore::watch(store::Topic topic) {
    return std::make_unique<WorkerWatch>(topic == store::Topic::Orders ? orders_bell_ : work_bell_);
}

}  // namespace holdfast::remote
