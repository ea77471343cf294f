#include "store/postgres/primary.h"

#include <map>
#include <utility>

namespace holdfast::postgres {

namespace {

constexpr auto trusted_for = std::chrono::seconds(2);

}  // namespace

std::shared_ptr<Primary> Primary::of(const std::string& url) {
    static std::mutex mutex;
    static std::map<std::string, std::weak_ptr<Primary>> all;
    const std::lock_guard lock(mutex);
    std::erase_if(all, [](const auto& each) { return each.second.expired(); });
    auto& known = all[url];
    auto primary = known.lock();
    if (!primary) known = primary = std::make_shared<Primary>();
    return primary;
}

std::optional<std::size_t> Primary::host() {
    const std::lock_guard lock(mutex_);
    if (std::chrono::steady_clock::now() - found_at_ >= trusted_for) host_.reset();
    return host_;
}

void Primary::found(std::size_t host, std::int64_t timeline) {
    const std::lock_guard lock(mutex_);
    if (last_ != host) ++moves_;
    if (host_ != host) found_at_ = std::chrono::steady_clock::now();  // else it was not looked for again
    host_ = host;
    last_ = host;
    last_use_.host = host;
    last_use_.timeline = timeline;
}

void Primary::suspect(std::size_t host) {
    const std::lock_guard lock(mutex_);
    if (host_ == host) host_.reset();
}

void Primary::know(const core::Incarnation& incarnation) {
    const std::lock_guard lock(mutex_);
    last_use_.incarnation = incarnation;
}

core::LastUse Primary::last_use() const {
    const std::lock_guard lock(mutex_);
    return last_use_;
}

void Primary::confirm(std::uint64_t doubts) {
    std::uint64_t before = confirmed_;
    while (before < doubts && !confirmed_.compare_exchange_weak(before, doubts)) {
    }
}

}  // namespace holdfast::postgres
