#pragma once

#include <pthread.h>
#include <signal.h>

namespace holdfast::platform {

/// Blocks all signals of this thread while it lives. Threads started meanwhile receive none either.
class SignalPause {
public:
    SignalPause() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalPause() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalPause(const SignalPause&) = delete;
    SignalPause& operator=(const SignalPause&) = delete;

private:
    sigset_t before_ = {};
};

}  // namespace holdfast::platform
