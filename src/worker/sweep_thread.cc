#include "worker/sweep_thread.h"

#include "base/text.h"
#include "platform/host_watch.h"
#include "platform/life_lock.h"
#include "platform/service_loop.h"

namespace holdfast::worker {

std::unique_ptr<engine::HostWatch> host_watch_for(const std::string& store_url) {
    platform::LocalHostWatch::Params params;
    const client::StoreAddress address = client::parse_store_url(store_url);
    if (address.kind == client::StoreAddress::Kind::Sqlite)
        params.life_locks = platform::life_lock_path(address.place);
    return std::make_unique<platform::LocalHostWatch>(std::move(params));
}

SweepThread::SweepThread(SweepParams params, Random& random, Log& log)
    : params_(std::move(params)), random_(random), log_(log), thread_([this] { run(); }) {}

SweepThread::~SweepThread() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    stop_signal_.notify_one();
    thread_.join();
}

bool SweepThread::pause(Duration length) {
    std::unique_lock lock(mutex_);
    return !stop_signal_.wait_for(lock, length, [this] { return stopping_; });
}

void SweepThread::run() {
    do {
        try {
            const auto store = client::connect(params_.store);
            sweep(*store);
            return;
        } catch (const StoreError& fault) {
            log_.write({LogLevel::Warning, concat("The sweeper cannot connect: ", fault.what()), {}});
        }
    } while (pause(std::chrono::seconds(1)));
}

void SweepThread::sweep(store::Store& store) {
    const auto host = host_watch_for(params_.store.url);
    engine::Sweeper sweeper(store, *host, random_, params_.who, params_.settings);
    do {
        try {
            say(sweeper.run_once(platform::machine_time()));
            is_away_ = false;
        } catch (const StoreError& fault) {
            if (!std::exchange(is_away_, true))
                log_.write({LogLevel::Warning, concat("The sweeper cannot see the store: ", fault.what()), {}});
        }
    } while (pause(params_.interval));
    try {
        sweeper.give_up();
    } catch (const StoreError&) {
        // It lapses by itself.
    }
}

void SweepThread::say(const engine::SweepReport& report) {
    for (const engine::ServicePass& pass : report.passes) {
        for (const std::string& remark : pass.report.remarks) log_.write({LogLevel::Warning, remark, {}});
        if (!pass.failure.empty())
            log_.write({LogLevel::Error, concat("Recovery: ", pass.service, " failed: ", pass.failure), {}});
        if (pass.report.is_empty()) continue;
        log_.write({LogLevel::Info,
                    concat("Recovery: ", pass.service),
                    {{"workers_lost", std::to_string(pass.report.workers_lost)},
                     {"requeued", std::to_string(pass.report.requeued)},
                     {"rerun", std::to_string(pass.report.rerun)},
                     {"ended", std::to_string(pass.report.ended)},
                     {"asked", std::to_string(pass.report.asked)},
                     {"expired", std::to_string(pass.report.expired)},
                     {"rejected", std::to_string(pass.report.rejected)},
                     {"pruned", std::to_string(pass.report.pruned)},
                     {"skipped", std::to_string(pass.report.skipped)}}});
    }
}

}  // namespace holdfast::worker
