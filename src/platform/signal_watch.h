#pragma once

#include <functional>
#include <initializer_list>
#include <string>

#include "base/descriptor.h"
#include "platform/service_loop.h"

namespace holdfast::platform {

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
