#pragma once

#include <chrono>
#include <string>
#include <unordered_map>

namespace holdfast::http {

/// Lets each client through so often, on average, with a burst now and then: a bucket of tokens each, which fills
/// steadily. Belongs to one thread; time comes from the caller.
class RateLimiter {
public:
    using Instant = std::chrono::steady_clock::time_point;

    /// `per_second` zero or less: everybody is let through.
    RateLimiter(double per_second, double burst);

    /// Takes a token of that client. False: there is none; ask again in retry_after_seconds().
    bool admit(const std::string& client, Instant now);
    [[nodiscard]] int retry_after_seconds() const;  ///< until a client that was refused has a token again, rounded up
    [[nodiscard]] std::size_t remembered() const { return buckets_.size(); }

private:
    struct Bucket {
        double tokens;
        Instant filled_at;
    };
    [[nodiscard]] double tokens_in(const Bucket& bucket, Instant now) const;
    void forget_full_buckets(Instant now);

    const double per_second_;
    const double burst_;
    std::unordered_map<std::string, Bucket> buckets_;
    std::size_t forget_at_ = 1024;  // clients remembered, when next the full buckets are dropped
};

}  // namespace holdfast::http
