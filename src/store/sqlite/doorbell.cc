#include "store/sqlite/doorbell.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/assert.h"
#include "base/text.h"

namespace holdfast::sqlite {

namespace {

const char* suffix(store::Topic topic) {
    switch (topic) {
        case store::Topic::Work:
            return "-work.bell";
        case store::Topic::Done:
            return "-done.bell";
        case store::Topic::Orders:
            return "-orders.bell";
    }
    HOLDFAST_ASSERT(false);
}

Descriptor checked(int descriptor, const char* what) {
    if (descriptor < 0) throw store::Unavailable(concat(what, ": ", std::strerror(errno)));
    return Descriptor(descriptor);
}

/// Reads everything there is; true when there was anything.
bool drain(int descriptor) {
    alignas(inotify_event) std::array<char, 4096> buffer;
    bool any = false;
    while (read(descriptor, buffer.data(), buffer.size()) > 0) any = true;
    return any;
}

class DoorbellWatch : public store::Watch {
public:
    DoorbellWatch(const std::string& database, store::Topic topic, Duration safety_poll)
        : safety_poll_(store::safety_poll_of(topic, safety_poll)),
          inotify_(checked(inotify_init1(IN_NONBLOCK | IN_CLOEXEC), "watching for changes")),
          wake_(checked(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "watching for changes")) {
        const auto bell = open_beside(database, suffix(topic));
        const auto path = database + suffix(topic);
        if (inotify_add_watch(inotify_.get(), path.c_str(), IN_MODIFY) < 0)
            throw store::Unavailable(concat("watching ", path, ": ", std::strerror(errno)));
    }

    bool wait(Duration at_most) override {
        const auto start = std::chrono::steady_clock::now();
        const auto until =
            std::min<std::chrono::steady_clock::time_point>(start + at_most, last_news_ + safety_poll_);
        do {
            std::array<pollfd, 2> ready = {{{inotify_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}}};
            poll(ready.data(), ready.size(), milliseconds_until(until));
            const bool rung = drain(inotify_.get()), woken = drain(wake_.get());
            if (rung || woken || std::chrono::steady_clock::now() >= last_news_ + safety_poll_) return news();
        } while (std::chrono::steady_clock::now() < until);
        return false;
    }

    void wake() override {
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = write(wake_.get(), &one, sizeof one);
    }

private:
    static int milliseconds_until(std::chrono::steady_clock::time_point until) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        return static_cast<int>(std::max<std::int64_t>(0, left.count()));
    }

    bool news() {
        last_news_ = std::chrono::steady_clock::now();
        return true;
    }

    const Duration safety_poll_;
    Descriptor inotify_;
    Descriptor wake_;
    std::chrono::steady_clock::time_point last_news_ = std::chrono::steady_clock::now();
};

}  // namespace

Doorbell::Doorbell(const std::string& database, store::Topic topic) : bell_(open_beside(database, suffix(topic))) {}

void Doorbell::ring() {
    // A bell that cannot be rung delays the waiters until their safety poll.
    [[maybe_unused]] const auto written = pwrite(bell_.get(), "!", 1, 0);
}

std::unique_ptr<store::Watch> watch_doorbell(const std::string& database, store::Topic topic, Duration safety_poll) {
    return std::make_unique<DoorbellWatch>(database, topic, safety_poll);
}

}  // namespace holdfast::sqlite
