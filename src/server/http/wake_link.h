#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <functional>
#include <memory>
#include <mutex>

namespace holdfast::http {

/// Lets any thread wake a coroutine of the loop. Once the owner is destroyed, pull() has no effect. Several pulls
/// before the loop has handled the first one count as one.
class WakeLink : public std::enable_shared_from_this<WakeLink> {
public:
    /// Held by the coroutine to wake, in the loop's thread; its destructor cuts the link.
    class Owner {
    public:
        Owner(boost::asio::io_context& loop, std::function<void()> wake)
            : link_(std::make_shared<WakeLink>(loop, std::move(wake))) {}
        ~Owner() { link_->cut(); }
        Owner(const Owner&) = delete;
        Owner& operator=(const Owner&) = delete;
        [[nodiscard]] const std::shared_ptr<WakeLink>& get() const { return link_; }

    private:
        const std::shared_ptr<WakeLink> link_;
    };

    WakeLink(boost::asio::io_context& loop, std::function<void()> wake) : loop_(&loop), wake_(std::move(wake)) {}

    void pull() {
        const std::lock_guard lock(mutex_);
        if (loop_ == nullptr || is_posted_) return;
        is_posted_ = true;
        boost::asio::post(*loop_, [self = shared_from_this()] { self->arrive(); });
    }

private:
    void cut() {
        const std::lock_guard lock(mutex_);
        loop_ = nullptr;
    }

    void arrive() {
        {
            const std::lock_guard lock(mutex_);
            is_posted_ = false;
            if (loop_ == nullptr) return;
        }
        wake_();  // only the loop's thread cuts the link, so the owner still exists
    }

    std::mutex mutex_;
    boost::asio::io_context* loop_;  // guarded by mutex_
    bool is_posted_ = false;         // guarded by mutex_
    const std::function<void()> wake_;
};

}  // namespace holdfast::http
