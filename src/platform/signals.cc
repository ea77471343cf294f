#include "platform/signals.h"

#include <string.h>
#include <sys/signalfd.h>

namespace holdfast::platform {

void restore_signals() {
    for (int each = 1; each < NSIG; ++each) signal(each, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
}

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
