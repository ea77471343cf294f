#include "worker/sweep_thread.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "platform/life_lock.h"
#include "platform/service_loop.h"

namespace holdfast::worker {

namespace {

/// After a death the database server needs a moment to end the dead worker's session.
constexpr Duration second_look = std::chrono::milliseconds(100);
constexpr Duration container_patience = std::chrono::seconds(10);

}  // namespace

std::unique_ptr<platform::LocalHostWatch> host_watch_for(const std::string& store_url,
                                                         const runner::ContainerTool& containers) {
    platform::LocalHostWatch::Params params;
    const client::StoreAddress address = client::parse_store_url(store_url);
    if (address.kind == client::StoreAddress::Kind::Sqlite)
        params.life_locks = platform::life_lock_path(address.place);
    params.stop_container = [containers](const store::TaskLease& lease, bool local) {
        const runner::Removal removal = runner::remove_containers(containers, lease, container_patience);
        return removal == runner::Removal::Removed || (local && removal == runner::Removal::NoneHere);
    };
    return std::make_unique<platform::LocalHostWatch>(std::move(params));
}

SweepThread::SweepThread(SweepParams params, Random& random, Log& log)
    : params_(std::move(params)),
      random_(random),
      log_(log),
      host_(host_watch_for(params_.store.url, params_.containers)),
      thread_([this] { run(); }) {}

SweepThread::~SweepThread() {
    stopping_ = true;
    host_->wake();
    thread_.join();
}

void SweepThread::run() {
    while (!stopping_) {
        try {
            const auto store = client::connect(params_.store);
            return sweep(*store);
        } catch (const StoreError& fault) {
            say_failed("cannot connect", fault);
        }
        host_->wait(std::chrono::seconds(1));
    }
}

void SweepThread::sweep(store::RecoveryStore& store) {
    engine::Sweeper sweeper(store, *host_, random_, params_.who, params_.settings, platform::machine_time);
    bool has_died = false;
    while (!stopping_) {
        try {
            const Duration now = platform::machine_time();
            const engine::SweepReport report = sweeper.run_once(now);
            say(report);
            note(store, report, now);
            params_.swept(report);
            say_works();
        } catch (const std::exception& fault) {
            say_failed("cannot do its work", fault);
        }
        has_died = host_->wait(has_died ? second_look : params_.interval);
    }
    try {
        sweeper.give_up();
    } catch (const StoreError&) {
        // It lapses by itself.
    }
}

void SweepThread::say_failed(const char* what, const std::exception& fault) {
    if (failing_since_) return;
    failing_since_ = platform::machine_time();
    log_.write({LogLevel::Warning, concat("The sweeper ", what, ": ", fault.what()), {}});
}

void SweepThread::say_works() {
    if (!failing_since_) return;
    const auto failed_for = platform::machine_time() - *std::exchange(failing_since_, std::nullopt);
    log_.write({LogLevel::Info,
                concat("The sweeper works again after ",
                       format_duration(std::chrono::floor<std::chrono::milliseconds>(failed_for))),
                {}});
}

void SweepThread::note(store::RecoveryStore& store, const engine::SweepReport& report, Duration now) {
    const bool is_time = report.holds_lease && now >= note_at_;
    if (is_time) note_at_ = now + params_.settings.check_interval;
    for (const engine::ServicePass& pass : report.passes) {
        engine::RecoveryReport& total = totals_[pass.service];
        total += pass.report;
        total.remarks.clear();
        if (!is_time && pass.report.is_empty() && pass.failure.empty()) continue;
        nlohmann::json did;
        for (const auto& [what, count] : engine::report_counts) did[std::string(what)] = total.*count;
        store.note_sweep(
            {.service = pass.service, .who = params_.who, .at = {}, .did = did.dump(), .failure = pass.failure});
    }
}

void SweepThread::say(const engine::SweepReport& report) {
    for (const engine::ServicePass& pass : report.passes) {
        for (const std::string& remark : pass.report.remarks) log_.write({LogLevel::Warning, remark, {}});
        if (!pass.failure.empty())
            log_.write({LogLevel::Error, concat("Recovery: ", pass.service, " failed: ", pass.failure), {}});
        if (pass.report.is_empty()) continue;
        LogLine line{LogLevel::Info, concat("Recovery: ", pass.service), {}};
        for (const auto& [what, count] : engine::report_counts)
            line.fields.emplace_back(what, std::to_string(pass.report.*count));
        log_.write(line);
    }
}

}  // namespace holdfast::worker
