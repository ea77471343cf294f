#pragma once

#include <pthread.h>
#include <signal.h>

namespace holdfast::http {

/// Threads started while it lives get no signals: those are for the threads of whoever uses the server.
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

}  // namespace holdfast::http
