#pragma once

#include <pthread.h>
#include <signal.h>

#include <functional>
#include <initializer_list>
#include <string>

#include "base/descriptor.h"
#include "platform/service_loop.h"

namespace holdfast::platform {

/// Gives every signal its default action and unblocks it. For a forked child, also of a process with threads.
void restore_signals();

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

/// Delivers signals of this process to its service loop instead of interrupting a thread.
class SignalWatch {
public:
    /// Blocks these signals from now on, so the process must not have a second thread yet. The loop, which must
    /// outlive this object, calls `received` with the name of each one: "SIGTERM".
    SignalWatch(ServiceLoop& loop, std::initializer_list<int> signals,
                const std::function<void(const std::string&)>& received);
    ~SignalWatch();
    SignalWatch(const SignalWatch&) = delete;
    SignalWatch& operator=(const SignalWatch&) = delete;

private:
    ServiceLoop& loop_;
    Descriptor arriving_;
};

}  // namespace holdfast::platform
