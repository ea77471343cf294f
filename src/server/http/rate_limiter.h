#pragma once

#include <chrono>
#include <string>
#include <unordered_map>

namespace holdfast::http {

/// A rate limit per client, by token bucket: an average rate, with bursts. For one thread; the caller passes the
/// current time.
class RateLimiter {
public:
    using Instant = std::chrono::steady_clock::time_point;

    /// A `per_second` of zero or less admits every request.
    RateLimiter(double per_second, double burst);

    /// Takes a token from the client's bucket. Returns false when the bucket is empty; the client may retry after
    /// retry_after_seconds().
    bool admit(const std::string& client, Instant now);
    [[nodiscard]] int retry_after_seconds() const;  ///< until a refused client has a token, rounded up
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
    std::size_t forget_at_ = 1024;  // the number of buckets at which full ones are dropped next
};

}  // namespace holdfast::http
