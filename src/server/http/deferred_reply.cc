#include <utility>

#include "server/http/message.h"

namespace holdfast::http {

void DeferredReply::complete(Response response) {
    std::function<void()> wake;
    {
        const std::lock_guard lock(mutex_);
        if (std::exchange(completed_, true)) return;
        response_ = std::move(response);
        wake = std::exchange(wake_, nullptr);
    }
    if (wake) wake();
}

void DeferredReply::on_complete(std::function<void()> wake) {
    {
        const std::lock_guard lock(mutex_);
        if (!completed_) {
            wake_ = std::move(wake);
            return;
        }
    }
    wake();
}

std::optional<Response> DeferredReply::take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(response_, std::nullopt);
}

}  // namespace holdfast::http
