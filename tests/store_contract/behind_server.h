#pragma once

#include <atomic>
#include <memory>

#include "base/log.h"
#include "platform/system_random.h"
#include "server/api/api.h"
#include "server/http/server.h"
#include "server/remote/remote_worker_store.h"
#include "store/relay_store.h"
#include "store_contract/test_database.h"

namespace holdfast::contract {

/// A store whose part for workers goes through a server of its own, over HTTP on loopback, as that of a worker behind
/// a server does. All other verbs go to the store itself.
class StoreBehindServer final : public store::RelayStore<StoreBehindServer> {
public:
    StoreBehindServer(const OpenParams& params, const Clock& clock);
    ~StoreBehindServer() override;
    StoreBehindServer(const StoreBehindServer&) = delete;
    StoreBehindServer& operator=(const StoreBehindServer&) = delete;

    store::RegisterAnswer register_worker(const store::WorkerRegistration& worker) override;
    bool deregister_worker(const Uuid& worker) override { return remote_->deregister_worker(worker); }
    store::BeatAnswer beat(const store::BeatParams& params) override { return remote_->beat(params); }
    store::TurnAnswer turn(const store::TurnParams& params) override { return remote_->turn(params); }
    std::vector<store::Fenced> save_progress(const Uuid& worker,
                                             const std::vector<store::ProgressReport>& reports) override {
        return remote_->save_progress(worker, reports);
    }
    std::vector<store::Fenced> append_logs(const Uuid& worker, const std::vector<store::LogChunk>& chunks) override {
        return remote_->append_logs(worker, chunks);
    }
    void append_worker_snapshot(const store::WorkerSnapshot& snapshot) override {
        remote_->append_worker_snapshot(snapshot);
    }
    /// The server carries out the next so many requests, and their answers get lost.
    void lose_answers(int count) { answers_to_lose_ = count; }
    /// It carries out each request of a worker twice, as a network may deliver it twice, and sends the first answer.
    void double_requests() { doubles_ = true; }

    [[nodiscard]] std::unique_ptr<store::Watch> watch(store::Topic topic) override { return store_->watch(topic); }
    [[nodiscard]] std::string describe() const override { return store_->describe(); }
    [[nodiscard]] std::int64_t rank() const override { return store_->rank(); }

private:
    friend class store::RelayStore<StoreBehindServer>;
    template <typename Call>
    auto relay(const char*, store::Effect, const Call& call) {
        return call(*store_);
    }

    [[nodiscard]] http::Reply handle(http::Request& request);

    struct NoLog final : Log {
        void write(const LogLine&) override {}
    };

    std::atomic<int> answers_to_lose_ = 0;
    std::atomic<bool> doubles_ = false;
    NoLog log_;
    platform::SystemRandom random_;
    std::unique_ptr<store::Store> store_;
    std::unique_ptr<api::Api> api_;
    std::unique_ptr<http::Server> server_;
    std::unique_ptr<remote::RemoteWorkerStore> remote_;
};

}  // namespace holdfast::contract
