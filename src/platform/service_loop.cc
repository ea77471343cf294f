#include "platform/service_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "base/throw_errno.h"

namespace holdfast::platform {

namespace {

constexpr const char* clock_variable = "HOLDFAST_CLOCK";

clockid_t inherited_clock() {
    const char* word = std::getenv(clock_variable);
    return word != nullptr && std::string_view(word) == "monotonic" ? CLOCK_MONOTONIC : CLOCK_BOOTTIME;
}

std::atomic<clockid_t>& machine_clock() {
    static std::atomic<clockid_t> clock = inherited_clock();
    return clock;
}

bool must_count_sleep = false;

/// epoll_wait() with a limit that is not rounded to milliseconds, where the kernel knows that.
int wait_for(int epoll, epoll_event* events, int most, Duration at_most) {
    const auto length = std::max(at_most, Duration::zero());
    const auto whole = std::chrono::floor<std::chrono::seconds>(length);
    const timespec limit{.tv_sec = static_cast<time_t>(whole.count()),
                         .tv_nsec = static_cast<long>(std::chrono::nanoseconds(length - whole).count())};
    const int ready = epoll_pwait2(epoll, events, most, &limit, nullptr);
    if (ready >= 0 || errno != ENOSYS) return ready;
    return epoll_wait(epoll, events, most, poll_timeout(at_most));
}

}  // namespace

void count_sleep(bool counts) {
    must_count_sleep = must_count_sleep || counts;
    machine_clock() = must_count_sleep ? CLOCK_BOOTTIME : CLOCK_MONOTONIC;
    setenv(clock_variable, must_count_sleep ? "boottime" : "monotonic", 1);
}

Duration machine_time() {
    timespec now{};
    clock_gettime(machine_clock().load(std::memory_order_relaxed), &now);
    return std::chrono::seconds(now.tv_sec) +
           std::chrono::duration_cast<Duration>(std::chrono::nanoseconds(now.tv_nsec));
}

int poll_timeout(Duration length) {
    const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(std::max(length, Duration::zero())).count();
    return static_cast<int>(std::min<std::int64_t>(rounded, std::numeric_limits<int>::max()));
}

ServiceLoop::ServiceLoop()
    : epoll_(epoll_create1(EPOLL_CLOEXEC)), posted_signal_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!epoll_ || !posted_signal_) throw_errno("epoll_create1");
    await_input(posted_signal_.get());
}

void ServiceLoop::await_input(int descriptor) const {
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    wanted.data.fd = descriptor;
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &wanted) != 0) throw_errno("epoll_ctl");
}

void ServiceLoop::watch(int descriptor, std::function<void()> when_readable) {
    await_input(descriptor);
    watched_[descriptor] = std::make_shared<std::function<void()>>(std::move(when_readable));
}

void ServiceLoop::forget(int descriptor) {
    if (watched_.erase(descriptor) > 0) epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
}

void ServiceLoop::post(std::function<void()> work) {
    bool was_empty = false;
    {
        const std::lock_guard lock(mutex_);
        was_empty = posted_.empty();
        posted_.push_back(std::move(work));
    }
    const std::uint64_t one = 1;
    if (was_empty && write(posted_signal_.get(), &one, sizeof one) < 0 && errno != EAGAIN) throw_errno("write");
}

void ServiceLoop::turn(Duration at_most) {
    std::array<epoll_event, 256> events{};
    const int ready = wait_for(epoll_.get(), events.data(), static_cast<int>(events.size()), at_most);
    if (ready < 0 && errno != EINTR) throw_errno("epoll_wait");
    const std::lock_guard lock(inside_);
    bool was_posted_to = false;
    for (int i = 0; i < ready; ++i) {
        const int descriptor = events[static_cast<std::size_t>(i)].data.fd;
        if (descriptor == posted_signal_.get()) was_posted_to = true;
        const auto found = watched_.find(descriptor);
        if (found == watched_.end()) continue;  // removed meanwhile
        const auto callback = found->second;    // survives its own forget()
        (*callback)();
    }
    if (was_posted_to) handle_posted();
}

void ServiceLoop::handle_posted() {
    std::uint64_t count = 0;
    if (read(posted_signal_.get(), &count, sizeof count) < 0 && errno != EAGAIN) throw_errno("read");
    std::deque<std::function<void()>> work;
    {
        const std::lock_guard lock(mutex_);
        work.swap(posted_);
    }
    for (auto& each : work) each();
}

}  // namespace holdfast::platform
