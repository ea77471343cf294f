#include "server/process/timed_store.h"

#include <utility>

#include "platform/service_loop.h"
#include "store/relay_store.h"

namespace holdfast::server {

namespace {

class TimedStore final : public store::RelayStore<TimedStore> {
public:
    TimedStore(std::unique_ptr<store::Store> store, WhenTimed tell)
        : store_(std::move(store)), tell_(std::move(tell)) {}

    std::unique_ptr<store::Watch> watch(store::Topic topic) override { return store_->watch(topic); }
    [[nodiscard]] std::string describe() const override { return store_->describe(); }

    template <typename Call>
    auto relay(const char* verb, store::Effect /*effect*/, const Call& call) {
        const Stretch stretch(verb, tell_);
        return call(*store_);
    }

private:
    /// Measures from its construction to its destruction, whether the call returns or throws.
    class Stretch {
    public:
        Stretch(const char* verb, const WhenTimed& tell)
            : verb_(verb), tell_(tell), began_(platform::machine_time()) {}
        ~Stretch() { tell_(verb_, platform::machine_time() - began_); }
        Stretch(const Stretch&) = delete;
        Stretch& operator=(const Stretch&) = delete;

    private:
        const char* verb_;
        const WhenTimed& tell_;
        const Duration began_;
    };

    const std::unique_ptr<store::Store> store_;
    const WhenTimed tell_;
};

}  // namespace

std::unique_ptr<store::Store> timed(std::unique_ptr<store::Store> store, WhenTimed tell) {
    return std::make_unique<TimedStore>(std::move(store), std::move(tell));
}

}  // namespace holdfast::server
