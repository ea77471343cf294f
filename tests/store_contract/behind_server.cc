#include "store_contract/behind_server.h"

#include "config/config.h"

namespace holdfast::contract {

namespace {

/// Every store of a test program opens with it, so that a test may use a worker through each of them.
class OneSecret final : public Random {
public:
    std::uint64_t next() override { return 0; }
};

}  // namespace

StoreBehindServer::StoreBehindServer(const OpenParams& params, const Clock& clock)
    : store_(open_store(params, clock)) {
    api::ApiParts parts;
    parts.open_store = [params, &clock] { return open_store(params, clock); };
    parts.config = [config = std::make_shared<const config::Config>()] { return config; };
    parts.version = "1";
    parts.login = api::Login::Never;
    api_ = std::make_unique<api::Api>(std::move(parts), random_, log_);
    server_ = std::make_unique<http::Server>(
        http::ServerParams{
            .port = 0, .handle = [this](http::Request& request) { return handle(request); }, .lane = api::lane_of},
        log_);
    server_->start();
    OneSecret secret;
    remote_ = std::make_unique<remote::RemoteWorkerStore>(
        std::make_shared<remote::WorkServers>(remote::WorkServers::Params{.urls = {server_->url()}}, secret, log_),
        clock);
}

/// An answer that never arrives and one that says "try again" have the same effect on a client: it does not know.
http::Reply StoreBehindServer::handle(http::Request& request) {
    http::Reply reply = api_->handle(request);
    if (request.method != "POST") return reply;
    if (doubles_) (void)api_->handle(request);
    if (answers_to_lose_ <= 0) return reply;
    --answers_to_lose_;
    return http::to_response({.status = 503, .code = "OVERLOADED", .detail = "the answer was lost"});
}

StoreBehindServer::~StoreBehindServer() {
    remote_.reset();
    server_->stop(Duration::zero());
}

store::RegisterAnswer StoreBehindServer::register_worker(const store::WorkerRegistration& worker) {
    return remote_->register_worker(worker);
}

}  // namespace holdfast::contract
