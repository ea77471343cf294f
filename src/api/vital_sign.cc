#include "api/vital_sign.h"

#include "base/text.h"
#include "platform/service_loop.h"

namespace holdfast::api {

namespace {

std::string in_tenths(Duration age) {
    return format_duration(std::chrono::duration_cast<std::chrono::milliseconds>(age) / 100 * 100);
}

}  // namespace

void VitalSign::succeeded() {
    const std::scoped_lock lock(mutex_);
    last_ = platform::machine_time();
    failure_.clear();
}

void VitalSign::failed(const std::string& why) {
    const std::scoped_lock lock(mutex_);
    failure_ = why;
}

Duration VitalSign::age() const {
    const std::scoped_lock lock(mutex_);
    return last_ < Duration::zero() ? Duration(-1) : platform::machine_time() - last_;
}

VitalSign::Check VitalSign::check() const {
    const Duration since = age();
    const std::scoped_lock lock(mutex_);
    std::string detail = since < Duration::zero() ? "not done yet" : concat("last done ", in_tenths(since), " ago");
    if (!failure_.empty()) detail += concat(": ", failure_);
    return {.ok = since >= Duration::zero() && since <= patience_, .detail = std::move(detail)};
}

}  // namespace holdfast::api
