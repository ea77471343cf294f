#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>

#include "holdfast/time.h"

namespace holdfast::http {

namespace asio = boost::asio;

/// An event that a coroutine of the loop waits for. Use it only in the loop's thread.
class LoopEvent {
public:
    explicit LoopEvent(asio::io_context& loop) : timer_(loop) {}

    void set() {
        is_set_ = true;
        timer_.cancel();
    }

    /// Waits until the event is set or the time has passed. Returns whether it was set, and resets it.
    asio::awaitable<bool> wait_for(Duration at_most) {
        if (!is_set_) {
            boost::system::error_code cancelled;
            timer_.expires_after(at_most);
            co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
        }
        co_return std::exchange(is_set_, false);
    }

private:
    asio::steady_timer timer_;
    bool is_set_ = false;
};

/// A timeout that calls `when_missed` when it expires. Moving it is cheap: a timer that fires early is kept and
/// armed again when it fires. Use it only in the loop's thread.
class Deadline : public std::enable_shared_from_this<Deadline> {
public:
    using Clock = asio::steady_timer::clock_type;

    Deadline(asio::io_context& loop, std::function<void()> when_missed)
        : timer_(loop), when_missed_(std::move(when_missed)) {}

    void set(Duration from_now) {
        missed_ = false;
        at_ = Clock::now() + from_now;
        if (!armed_for_ || *at_ < *armed_for_) arm();
    }
    void clear() { at_.reset(); }
    [[nodiscard]] bool was_missed() const { return missed_; }
    /// Disarms the deadline for good. The owner calls it before it is destroyed.
    void drop() {
        at_.reset();
        when_missed_ = nullptr;
        timer_.cancel();
    }

private:
    void arm() {
        armed_for_ = at_;
        timer_.expires_at(*at_);
        timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& superseded) {
            if (const auto self = weak.lock(); self && !superseded) self->fire();
        });
    }

    void fire() {
        armed_for_.reset();
        if (!at_) return;
        if (Clock::now() < *at_) return arm();
        at_.reset();
        missed_ = true;
        if (when_missed_) when_missed_();
    }

    asio::steady_timer timer_;
    std::function<void()> when_missed_;
    std::optional<Clock::time_point> at_;
    std::optional<Clock::time_point> armed_for_;
    bool missed_ = false;
};

}  // namespace holdfast::http
