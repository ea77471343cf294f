#include "platform/own_load.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "platform/process_table.h"
#include "platform/service_loop.h"

namespace holdfast::platform {

namespace {

Duration length(const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

Duration cpu_used(int who) {
    rusage usage{};
    getrusage(who, &usage);
    return length(usage.ru_utime) + length(usage.ru_stime);
}

}  // namespace

OwnLoad::Sample OwnLoad::sample() {
    Sample sample;
    const Duration now = machine_time();
    const Duration cpu = cpu_used(RUSAGE_SELF) + cpu_used(RUSAGE_CHILDREN);
    if (at_before_ > Duration::zero() && now > at_before_)
        sample.cpu_percent = 100.0 * static_cast<double>((cpu - cpu_before_).count()) /
                             static_cast<double>((now - at_before_).count());
    cpu_before_ = cpu;
    at_before_ = now;
    sample.memory_mb = static_cast<double>(resident_bytes(getpid())) / (1 << 20);
    getloadavg(&sample.load, 1);
    return sample;
}

}  // namespace holdfast::platform
