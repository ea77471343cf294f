#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <unordered_map>

namespace holdfast::http {

/// A rate limit per client, by token bucket: an average rate, with bursts. For one thread; the caller passes the
/// current time.
class RateLimiter {
public:
    using Instant = std::chrono::steady_clock::time_point;

    /// A `per_second` of zero or less admits every request.
    RateLimiter(double per_second, double burst) : per_second_(per_second), burst_(std::max(burst, 1.0)) {}

    /// Takes a token from the client's bucket. Returns false when the bucket is empty; the client may retry after
    /// retry_after_seconds().
    bool admit(const std::string& client, Instant now) {
        if (per_second_ <= 0) return true;
        if (buckets_.size() >= forget_at_) forget_full_buckets(now);
        Bucket& bucket = buckets_.try_emplace(client, Bucket{burst_, now}).first->second;
        bucket = {tokens_in(bucket, now), now};
        if (bucket.tokens < 1) return false;
        bucket.tokens -= 1;
        return true;
    }

    /// Returns the time until a refused client has a token, rounded up.
    [[nodiscard]] int retry_after_seconds() const {
        return std::max(1, static_cast<int>(std::ceil(1 / per_second_)));
    }
    [[nodiscard]] std::size_t remembered() const { return buckets_.size(); }

private:
    struct Bucket {
        double tokens;
        Instant filled_at;
    };

    [[nodiscard]] double tokens_in(const Bucket& bucket, Instant now) const {
        const std::chrono::duration<double> passed = now - bucket.filled_at;
        return std::min(burst_, bucket.tokens + passed.count() * per_second_);
    }

    /// A full bucket equals that of a new client, so it can be dropped.
    void forget_full_buckets(Instant now) {
        std::erase_if(buckets_, [&](const auto& entry) { return tokens_in(entry.second, now) >= burst_; });
        forget_at_ = std::max<std::size_t>(1024, buckets_.size() * 2);
    }

    const double per_second_;
    const double burst_;
    std::unordered_map<std::string, Bucket> buckets_;
    std::size_t forget_at_ = 1024;  // the number of buckets at which full ones are dropped next
};

}  // namespace holdfast::http
