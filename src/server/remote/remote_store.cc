#include "server/remote/remote_store.h"

#include <atomic>
#include <condition_variable>
#include <thread>

#include "base/text.h"
#include "holdfast/errors.h"
#include "platform/signals.h"
#include "views/queue.h"
#include "views/recovery.h"
#include "views/token.h"
#include "views/worker.h"

namespace holdfast::remote {

namespace {

constexpr Duration safety_poll = std::chrono::seconds(1);

/// Learns of changes from the server's live stream; while the stream is down, the safety poll takes over.
class RemoteWatch final : public store::Watch {
public:
    explicit RemoteWatch(const http::ClientParams& server) : client_(server) {
        const platform::SignalPause pause;  // signals must reach the waiting command
        thread_ = std::thread([this] { listen(); });
    }
    ~RemoteWatch() override {
        is_ending_ = true;
        wake();
        thread_.join();
    }
    RemoteWatch(const RemoteWatch&) = delete;
    RemoteWatch& operator=(const RemoteWatch&) = delete;

    bool wait(Duration at_most) override {
        std::unique_lock lock(mutex_);
        const bool has_rung = bell_.wait_for(lock, std::min(at_most, safety_poll), [this] { return has_news_; });
        has_news_ = false;
        return has_rung || at_most >= safety_poll;
    }

    void wake() override {
        const std::lock_guard lock(mutex_);
        has_news_ = true;
        bell_.notify_all();
    }

private:
    void listen() {
        while (!is_ending_) {
            try {
                client_.stream(
                    "/api/events",
                    [this](const http::ServerSentEvent&) {
                        wake();
                        return !is_ending_;
                    },
                    [this] { return is_ending_.load(); });
            } catch (const Error&) {
                // The poll continues; the next iteration opens the stream again.
            }
            std::unique_lock lock(mutex_);
            bell_.wait_for(lock, safety_poll, [this] { return is_ending_.load(); });
        }
    }

    http::Client client_;
    std::atomic<bool> is_ending_ = false;
    std::mutex mutex_;
    std::condition_variable bell_;
    bool has_news_ = false;
    std::thread thread_;
};

}  // namespace

// ---- Workers and queues -------------------------------------------------------------------------

std::vector<store::WorkerRecord> RemoteStore::workers() {
    std::vector<store::WorkerRecord> workers;
    const Json answer = link_.get(path_of({"workers"}), {{"all", "true"}});
    for (const Json& item : answer.at("items"))
        workers.push_back(views::from_json_shape<views::WorkerView>(item).record);
    return workers;
}

bool RemoteStore::order_worker(const store::OrderParams& params) {
    const char* const order = params.order == store::WorkerOrder::Drain    ? "drain"
                              : params.order == store::WorkerOrder::Cordon ? "cordon"
                                                                           : "uncordon";
    return link_.order(path_of({"workers", params.worker.to_string(), order})) != "not_found";
}

store::RemoveStatus RemoteStore::remove_worker(const Uuid& worker) {
    const std::string status = link_.remove(path_of({"workers", worker.to_string()}));
    if (status == "not_found") return store::RemoveStatus::NotFound;
    if (status != "finished") return store::RemoveStatus::Removed;
    for (const store::WorkerRecord& record : workers())
        if (record.registration.id == worker && views::has_left(record)) return store::RemoveStatus::HoldsLeases;
    return store::RemoveStatus::StillActive;
}

std::vector<store::WorkerSnapshot> RemoteStore::worker_snapshots(const Uuid& worker, std::size_t limit) {
    std::vector<store::WorkerSnapshot> snapshots;
    for (const Json& item : link_.list(path_of({"workers", worker.to_string(), "states"}), {}, limit))
        snapshots.push_back(views::from_json_shape<store::WorkerSnapshot>(item));
    return snapshots;
}

std::vector<store::LeaseRecord> RemoteStore::leases_of(const Uuid& worker, std::size_t limit) {
    const Json answer = link_.get(path_of({"workers", worker.to_string()}));
    auto leases = views::from_json_shape<std::vector<store::LeaseRecord>>(answer.at("tasks"));
    for (store::LeaseRecord& lease : leases) lease.worker = worker;
    if (leases.size() > limit) leases.resize(limit);
    return leases;
}

std::vector<store::QueueRecord> RemoteStore::queues() {
    const Json answer = link_.get(path_of({"queues"}));
    return views::from_json_shape<std::vector<store::QueueRecord>>(answer.at("items"));
}

void RemoteStore::set_queue_paused(const std::string& queue, bool paused, const std::string& /*who*/) {
    link_.post(path_of({"queues", queue, paused ? "pause" : "resume"}));
}

std::vector<store::KeyRecord> RemoteStore::keys(const store::KeysParams& params) {
    Query query{{"limit", std::to_string(params.limit)}};
    if (!params.key.empty()) query["key"] = params.key;
    const Json answer = link_.get(path_of({"keys"}), query);
    return views::from_json_shape<std::vector<store::KeyRecord>>(answer.at("items"));
}

store::DeclareStatus RemoteStore::declare_key(const core::KeyDeclaration& key, const std::string& /*who*/) {
    Json form = {{"limit", key.limit}};
    key.is_shared() ? form["shared"] = true : form["queue"] = key.queue;
    const std::string status = link_.put(path_of({"keys", key.key}), form);
    if (status == "finished") return store::DeclareStatus::IsShared;
    if (status == "new") return store::DeclareStatus::New;
    return status == "changed" ? store::DeclareStatus::Changed : store::DeclareStatus::Unchanged;
}

bool RemoteStore::remove_key(const std::string& key, const std::string& queue, const std::string& /*who*/) {
    const Query of_queue = queue.empty() ? Query{} : Query{{"queue", queue}};
    return link_.remove(with_query(path_of({"keys", key}), of_queue)) != "not_found";
}

// ---- Tokens -------------------------------------------------------------------------------------

std::vector<store::TokenRecord> RemoteStore::tokens() {
    const Json answer = link_.get(path_of({"tokens"}));
    return views::from_json_shape<std::vector<store::TokenRecord>>(answer.at("items"));
}

bool RemoteStore::revoke_token(const std::string& name_or_id, const std::string& /*who*/) {
    return link_.remove(path_of({"tokens", name_or_id})) != "not_found";
}

// ---- The store itself ---------------------------------------------------------------------------

std::unique_ptr<store::Watch> RemoteStore::watch(store::Topic /*topic*/) {
    return std::make_unique<RemoteWatch>(params_);
}

std::vector<store::Finding> RemoteStore::check_up() {
    std::vector<store::Finding> findings;
    (void)link_.get(path_of({"session"}));  // makes the token known to the server: probes use the last known tokens
    const Json answer = link_.get("/readyz");
    for (const Json& check : answer.value("checks", Json::array()))
        findings.push_back(
            {.grade = check.at("ok").get<bool>() ? store::Finding::Grade::Ok : store::Finding::Grade::Problem,
             .what = check.at("name"),
             .found = check.at("detail"),
             .advice = {}});
    return findings;
}

Timestamp RemoteStore::now() {
    return views::from_json_shape<Timestamp>(link_.get(path_of({"overview"})).at("now"));
}

}  // namespace holdfast::remote
