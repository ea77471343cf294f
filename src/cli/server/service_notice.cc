#include "cli/server/service_notice.h"

#include "platform/service_loop.h"

namespace holdfast::cli {

void ServiceNotice::turned() {
    const auto interval = notify_.alive_interval();
    if (!interval || platform::machine_time() < next_sign_) return;
    next_sign_ = platform::machine_time() + *interval;
    notify_.alive();
}

}  // namespace holdfast::cli
