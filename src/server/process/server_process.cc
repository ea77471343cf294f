#include "server/process/server_process.h"

#include <signal.h>

#include "base/ids.h"
#include "base/text.h"
#include "holdfast/version.h"
#include "platform/host_identity.h"
#include "platform/until_reachable.h"
#include "server/api/access.h"
#include "server/page/page.h"
#include "server/process/container_settings.h"

namespace holdfast::server {

namespace {

constexpr Duration longest_turn = std::chrono::milliseconds(500);
constexpr Duration pause_of_catalog = std::chrono::seconds(5);  // between attempts to put it into the store
constexpr int ports_tried = 50;

/// Returns the route pattern of a request. Requests without one share two names, so that the label stays bounded.
std::string route_of(const http::Request& request) {
    try {
        return api::match_route(request.method, request.path).route->path;
    } catch (const api::Problem&) {
        return !request.path.empty() && request.path.front() == "api" ? "unknown" : "page";
    }
}

std::string bounded_method(const std::string& method) {
    for (const char* known : {"GET", "POST", "DELETE", "PUT", "PATCH", "OPTIONS"})
        if (method == known) return method;
    return "other";
}

LogLine request_line(const http::Request& request, const std::string& route, int status, Duration took) {
    return {LogLevel::Debug,
            "Answered a request",
            {{"who", request.caller.empty() ? "nobody" : request.caller},
             {"from", request.peer},
             {"method", request.method},
             {"path", concat('/', join(request.path, "/"))},
             {"route", route},
             {"status", std::to_string(status)},
             {"ms", concat(std::chrono::duration<double, std::milli>(took).count())}}};
}

std::optional<api::PageAsset> page_asset(const std::string& path, std::string_view accept_encoding) {
    const auto file = page::find_file(path, accept_encoding);
    if (!file) return std::nullopt;
    return api::PageAsset{.bytes = file->bytes,
                          .content_type = std::string(file->content_type),
                          .encoding = std::string(file->encoding),
                          .immutable = file->is_immutable()};
}

}  // namespace

ServerProcess::ServerProcess(ServerPlan plan, Log& log)
    : plan_(std::move(plan)),
      log_(log),
      id_(make_uuid_v4(random_)),
      signals_(loop_, {SIGTERM, SIGINT, SIGHUP}, [this](const std::string& name) { handle_signal(name); }),
      sweep_sign_(std::max<Duration>(store_patience, 10 * plan_.config.recovery.liveness_interval)) {
    platform::count_sleep(client::parse_store_url(plan_.store.url).kind == client::StoreAddress::Kind::Postgres);
    signal(SIGPIPE, SIG_IGN);
    plan_.store.submits = std::make_shared<client::SubmitMemory>("server", [this](const LostSubmits& lost) {
        own_metrics_.lost(lost);
        log_.write({LogLevel::Error, client::sentence_about(lost), {{"rank", std::to_string(lost.rank)}}});
    });
}

void ServerProcess::handle_signal(const std::string& name) {
    if (name == "SIGHUP") return reload();
    log_.write({LogLevel::Info, concat("Received ", name, ": the server stops"), {}});
    stop_reason_ = "the server stops";
}

void ServerProcess::reload() {
    if (!catalog_) return;
    log_.write({LogLevel::Info, "Received SIGHUP: certificate and catalog are read again", {}});
    if (http::Server* const http = http_) http->reload_tls();
    catalog_->reload();
}

/// Binds the port first: a server whose port is taken must not create, migrate or change a store. Probes are answered
/// from then on, because a supervisor that gets no answer would kill a server that waits for its store.
void ServerProcess::run() {
    std::unique_ptr<http::Server> http = bind();
    http->start();
    if (!prepare_patiently()) return;
    plan_.store.create = false;  // connections that are opened later do not make a database anew that was removed
    serve(std::move(http));
}

bool ServerProcess::prepare_patiently() {
    return platform::until_reachable(
        loop_, random_, log_, [this] { return stop_reason_.has_value(); },
        [this] {
            const auto store = open_store();
            require_keys(*store);
            plan_.prepare(*store, plan_.config);
        });
}

void ServerProcess::require_keys(store::ClientStore& store) const {
    const auto tokens = store.tokens();
    const bool has_key = store::has_valid(tokens, store.now());
    if (!tokens.empty() && !has_key)
        log_.write({LogLevel::Warning,
                    "No token is valid any more, and without one the server stays shut; 'holdfast tokens create NAME "
                    "--scope "
                    "admin', run directly on the store, makes one",
                    {}});
    if (api::is_loopback(plan_.address)) return;
    if (plan_.config.server.insecure)
        return log_.write({LogLevel::Warning, "--insecure: anyone who reaches this server has full access", {}});
    if (!has_key)
        throw BadInput(
            concat("the server does not listen on ", plan_.address,
                   ": there is no valid token; make one with "
                   "'holdfast tokens create NAME --scope admin', or listen on 127.0.0.1, or say --insecure"));
    if (!plan_.tls)
        log_.write(
            {LogLevel::Warning, "Without TLS, tokens can be read on their way; name --tls-cert and --tls-key", {}});
}

void ServerProcess::serve(std::unique_ptr<http::Server> bound) {
    catalog_.emplace(
        plan_.config, plan_.load_config,
        [this](const config::Config&) { put_catalog_at_ = platform::machine_time(); }, log_);
    const std::unique_ptr<Metrics> metrics = make_metrics();
    const std::unique_ptr<api::Api> api = make_api(*metrics);
    const std::unique_ptr<http::Server> http = std::move(bound);  // destroyed before the objects that it calls
    http_ = http.get();
    api_ = api.get();
    std::unique_ptr<ReplicaKeeper> keeper = keep_replica(http->url(), *api);
    std::unique_ptr<worker::SweepThread> sweeping = start_sweeping();
    expose(sweeping.get());
    log_.write({LogLevel::Info, "The server listens", {{"url", http->url()}, {"replica", id_.to_string()}}});
    plan_.ready(http->url());
    turn_until_stopped();
    plan_.stopping();
    api->end_streams(*stop_reason_);
    http->stop(plan_.config.server.shutdown_grace, *stop_reason_);
    http_ = nullptr;
    expose(nullptr);
    sweeping.reset();
    keeper.reset();
    log_.write({LogLevel::Info, "The server has stopped", {}});
}

void ServerProcess::expose(worker::SweepThread* sweeping) {
    const std::lock_guard lock(sweeping_mutex_);
    sweeping_ = sweeping;
}

void ServerProcess::sweep_now() {
    const std::lock_guard lock(sweeping_mutex_);
    if (sweeping_ != nullptr) sweeping_->look_now();
}

void ServerProcess::turn_until_stopped() {
    while (!stop_reason_) {
        loop_.turn(longest_turn);
        plan_.turned();
        const auto store = store_sign_.check();
        if (const auto line = outage_log_.look(store, platform::machine_time())) log_.write(*line);
        if (plan_.watches_catalog) catalog_->reload_if_changed();
        if (store.ok && put_catalog_at_ && *put_catalog_at_ <= platform::machine_time()) put_catalog();
    }
}

/// Only while the store answers: this loop does not wait for one that hangs.
void ServerProcess::put_catalog() {
    try {
        plan_.prepare(*open_store(), *catalog_->current());
        put_catalog_at_.reset();
    } catch (const StoreError& fault) {
        put_catalog_at_ = platform::machine_time() + pause_of_catalog;
        log_.write({LogLevel::Error,
                    concat("The schedules of the catalog are not in the store yet, and are tried again in ",
                           format_duration(pause_of_catalog), ": ", fault.what()),
                    {}});
    }
}

std::unique_ptr<store::Store> ServerProcess::open_store() {
    return own_metrics_.timed(client::connect(plan_.store));
}

std::unique_ptr<Metrics> ServerProcess::make_metrics() {
    MetricsParts parts;
    parts.open_store = [this] { return open_store(); };
    parts.config = [this] { return catalog_->current(); };
    parts.http_counts = [this] {
        const http::Server* const http = http_;
        return http == nullptr ? http::ServerCounts() : http->counts();
    };
    parts.is_sweeping = [this] { return is_sweeping_.load(); };
    return std::make_unique<Metrics>(std::move(parts), own_metrics_, log_);
}

std::unique_ptr<api::Api> ServerProcess::make_api(Metrics& metrics) {
    api::ApiParts parts;
    parts.open_store = [this] { return open_store(); };
    parts.connections = plan_.limits.workers + plan_.limits.dear_workers + plan_.limits.work_workers;
    parts.max_body_bytes = plan_.limits.max_body_bytes;
    parts.config = [this] { return catalog_->current(); };
    parts.version = HOLDFAST_VERSION;
    if (!api::is_loopback(plan_.address))
        parts.login = plan_.config.server.insecure ? api::Login::Never : api::Login::Always;
    parts.hosts = {plan_.address, platform::own_host_identity().hostname};
    parts.readiness = [this] { return readiness(); };
    parts.store_is_out = [this] { return store_sign_.check().is_out; };
    parts.worker_has_died = [this] { sweep_now(); };
    parts.metrics = [&metrics] { return metrics.text(); };
    parts.host_watch = [](const config::Config& config) {
        return worker::host_watch_for(config.store.url, container_tool(config.worker));
    };
    parts.page = page_asset;
    return std::make_unique<api::Api>(std::move(parts), random_, log_);
}

std::unique_ptr<http::Server> ServerProcess::bind() {
    http::ServerParams params{
        .address = plan_.address,
        .port = plan_.port,
        .limits = plan_.limits,
        .tls = plan_.tls,
        .handle = [this](http::Request& request) { return handle(request); },
        .lane = api::lane_of,
        .when_stuck = {.status = 503,
                       .code = "STORE_UNAVAILABLE",
                       .detail =
                           "the store does not answer the requests under way; nothing was changed: try again in "
                           "a moment"},
        .answered = [this](const http::Request& request, int status,
                           Duration took) { answered(request, status, took); }};
    for (int more = plan_.next_free_port ? ports_tried : 0;; --more, ++params.port) {
        try {
            return std::make_unique<http::Server>(params, log_);
        } catch (const BadInput& taken) {
            if (more == 0 || params.port == 65535) throw;
            log_.write({LogLevel::Warning, concat(taken.what(), "; trying the next port"), {}});
        }
    }
}

std::unique_ptr<ReplicaKeeper> ServerProcess::keep_replica(const std::string& url, api::Api& api) {
    const store::HostIdentity host = platform::own_host_identity();
    ReplicaParams params{.store = plan_.store,
                         .store_sign = store_sign_,
                         .schema_sign = schema_sign_,
                         .replica = {.id = id_,
                                     .hostname = host.hostname,
                                     .pid = host.pid,
                                     .version = HOLDFAST_VERSION,
                                     .address = url},
                         .is_sweeping = [this] { return is_sweeping_.load(); },
                         .looked = [&api](store::Store& store) { api.look(store); }};
    return std::make_unique<ReplicaKeeper>(std::move(params), log_);
}

std::unique_ptr<worker::SweepThread> ServerProcess::start_sweeping() {
    if (!plan_.sweep) return nullptr;
    worker::SweepParams params{
        .store = plan_.store,
        .settings = *plan_.sweep,
        .interval = plan_.config.recovery.liveness_interval,
        .who = concat("server on ", platform::own_host_identity().hostname, " (", id_.to_string(), ")"),
        .containers = container_tool(plan_.config.worker),
        .swept = [this](const engine::SweepReport& report) {
            is_sweeping_ = report.holds_lease;
            sweep_sign_.succeeded();
            own_metrics_.swept(report);
        }};
    return std::make_unique<worker::SweepThread>(std::move(params), random_, log_);
}

std::vector<api::Readiness> ServerProcess::readiness() const {
    std::vector<api::Readiness> checks = {{"store", store_sign_.check()}, {"schema", schema_sign_.check()}};
    if (plan_.sweep) checks.push_back({"sweeper", sweep_sign_.check()});
    return checks;
}

http::Reply ServerProcess::handle(http::Request& request) {
    api::Api* const api = api_;
    if (api == nullptr) return api::answer_before_start(request, readiness());
    return api->handle(request, request.caller);
}

void ServerProcess::answered(const http::Request& request, int status, Duration took) {
    const std::string route = route_of(request);
    own_metrics_.answered(route, bounded_method(request.method), status, took);
    if (plan_.config.log.level == LogLevel::Debug) log_.write(request_line(request, route, status, took));
}

}  // namespace holdfast::server
