#include "server/process/own_metrics.h"

#include <utility>

#include "base/text.h"
#include "platform/service_loop.h"
#include "store/relay_store.h"

namespace holdfast::server {

namespace {

class TimedStore final : public store::RelayStore<TimedStore> {
public:
    TimedStore(std::unique_ptr<store::Store> store, Histograms& seconds)
        : store_(std::move(store)), seconds_(seconds) {}

    std::unique_ptr<store::Watch> watch(store::Topic topic) override { return store_->watch(topic); }
    [[nodiscard]] std::string describe() const override { return store_->describe(); }
    [[nodiscard]] std::int64_t rank() const override { return store_->rank(); }
    [[nodiscard]] std::int64_t history() const override { return store_->history(); }

    template <typename Call>
    auto relay(const char* verb, store::Effect /*effect*/, const Call& call) {
        const Stretch stretch{verb, seconds_};
        return call(*store_);
    }

private:
    /// Measures from its construction to its destruction, whether the call returns or throws.
    struct Stretch {
        const char* verb;
        Histograms& seconds;
        const Duration began = platform::machine_time();

        ~Stretch() {
            seconds.Add({{"call", verb}}, quick_buckets).Observe(in_seconds(platform::machine_time() - began));
        }
    };

    const std::unique_ptr<store::Store> store_;
    Histograms& seconds_;
};

}  // namespace

void OwnMetrics::answered(const std::string& route, const std::string& method, int status, Duration took) {
    requests_.Add({{"route", route}, {"method", method}, {"status", concat(status / 100, "xx")}}).Increment();
    request_seconds_.Add({{"route", route}}, quick_buckets).Observe(in_seconds(took));
}

void OwnMetrics::swept(const engine::SweepReport& report) {
    for (const engine::ServicePass& pass : report.passes) {
        sweep_seconds_.Add({{"service", pass.service}}, quick_buckets).Observe(in_seconds(pass.took));
        prometheus::Counter& failures = sweep_failures_.Add({{"service", pass.service}});
        if (!pass.failure.empty()) failures.Increment();
        for (const auto& [what, count] : engine::report_counts)
            if (pass.report.*count > 0)
                sweep_done_.Add({{"service", pass.service}, {"what", std::string(what)}})
                    .Increment(static_cast<double>(pass.report.*count));
    }
}

void OwnMetrics::lost(const LostSubmits& submits) {
    submits_lost_.Increment(static_cast<double>(submits.tasks.size() + submits.jobs.size()));
}

std::unique_ptr<store::Store> OwnMetrics::timed(std::unique_ptr<store::Store> store) {
    return std::make_unique<TimedStore>(std::move(store), store_seconds_);
}

}  // namespace holdfast::server
