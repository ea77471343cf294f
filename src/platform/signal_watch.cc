#include "platform/signal_watch.h"

#include <signal.h>
#include <sys/signalfd.h>

#include <cstring>

namespace holdfast::platform {

SignalWatch::SignalWatch(ServiceLoop& loop, std::initializer_list<int> signals,
                         const std::function<void(const std::string&)>& received)
    : loop_(loop) {
    sigset_t watched;
    sigemptyset(&watched);
    for (const int signal : signals) sigaddset(&watched, signal);
    sigprocmask(SIG_BLOCK, &watched, nullptr);
    arriving_ = Descriptor(signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
    loop_.watch(arriving_.get(), [this, received] {
        signalfd_siginfo signal{};
        while (read(arriving_.get(), &signal, sizeof signal) == sizeof signal)
            received(std::string("SIG") + sigabbrev_np(static_cast<int>(signal.ssi_signo)));
    });
}

SignalWatch::~SignalWatch() {
    loop_.forget(arriving_.get());
}

}  // namespace holdfast::platform
