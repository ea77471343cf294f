#include "server/api/vital_sign.h"

#include "base/text.h"
#include "platform/service_loop.h"

namespace holdfast::api {

namespace {

constexpr Duration never{-1};

std::string in_tenths(Duration age) {
    return format_duration(std::chrono::duration_cast<std::chrono::milliseconds>(age) / 100 * 100);
}

}  // namespace

void VitalSign::began() {
    const std::scoped_lock lock(mutex_);
    began_ = platform::machine_time();
}

void VitalSign::succeeded() {
    const std::scoped_lock lock(mutex_);
    last_ = platform::machine_time();
    began_ = never;
    was_slow_ = false;
    failure_.clear();
}

void VitalSign::failed(const std::string& why) {
    const std::scoped_lock lock(mutex_);
    was_slow_ |= is_slow();
    began_ = never;
    failure_ = why;
}

bool VitalSign::is_slow() const {
    return began_ > never && platform::machine_time() - began_ > slow_after_;
}

VitalSign::Check VitalSign::check() const {
    const std::scoped_lock lock(mutex_);
    const Duration now = platform::machine_time();
    const bool is_done = last_ > never && now - last_ <= patience_;
    const bool is_under_way_for_long = is_slow();
    std::string detail = last_ > never ? concat("last done ", in_tenths(now - last_), " ago") : "not done yet";
    if (is_under_way_for_long) detail += concat(", under way for ", in_tenths(now - began_));
    const bool is_ok = is_done && !is_under_way_for_long && !was_slow_;
    const bool was_tried = last_ > never || is_under_way_for_long || !failure_.empty();
    return {.ok = is_ok, .is_out = was_tried && !is_ok, .detail = std::move(detail), .failure = failure_};
}

}  // namespace holdfast::api
