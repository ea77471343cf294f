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
#include "store/sqlite/file_place.h"

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
        : database_(database),
          suffix_(suffix(topic)),
          safety_poll_(store::safety_poll_of(topic, safety_poll)),
          inotify_(checked(inotify_init1(IN_NONBLOCK | IN_CLOEXEC), "watching for changes")),
          wake_(checked(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "watching for changes")) {
        const auto bell = open_beside(database_, suffix_);
        add_watch();
    }

    bool wait(Duration at_most) override {
        if (has_other_bell()) return news();
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

    void add_watch() {
        const auto path = database_ + suffix_;
        bell_ = place_of(path);
        if (inotify_add_watch(inotify_.get(), path.c_str(), IN_MODIFY) < 0)
            throw store::Unavailable(concat("watching ", path, ": ", std::strerror(errno)));
    }

    /// The database and the files beside it were replaced: the old bell is not rung any more. Watches the new one,
    /// once a process has put it there.
    bool has_other_bell() {
        const auto path = database_ + suffix_;
        if (place_of(path) == bell_ || access(path.c_str(), F_OK) != 0) return false;
        add_watch();
        return true;
    }

    bool news() {
        last_news_ = std::chrono::steady_clock::now();
        return true;
    }

    const std::string database_;
    const std::string suffix_;
    const Duration safety_poll_;
    std::string bell_;  // which file is watched
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
