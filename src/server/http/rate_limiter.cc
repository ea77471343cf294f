#include "server/http/rate_limiter.h"

#include <algorithm>
#include <cmath>

namespace holdfast::http {

RateLimiter::RateLimiter(double per_second, double burst) : per_second_(per_second), burst_(std::max(burst, 1.0)) {}

bool RateLimiter::admit(const std::string& client, Instant now) {
    if (per_second_ <= 0) return true;
    if (buckets_.size() >= forget_at_) forget_full_buckets(now);
    Bucket& bucket = buckets_.try_emplace(client, Bucket{burst_, now}).first->second;
    bucket = {tokens_in(bucket, now), now};
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
}

int RateLimiter::retry_after_seconds() const {
    return std::max(1, static_cast<int>(std::ceil(1 / per_second_)));
}

double RateLimiter::tokens_in(const Bucket& bucket, Instant now) const {
    const std::chrono::duration<double> passed = now - bucket.filled_at;
    return std::min(burst_, bucket.tokens + passed.count() * per_second_);
}

/// A full bucket equals that of a new client, so it can be dropped.
void RateLimiter::forget_full_buckets(Instant now) {
    std::erase_if(buckets_, [&](const auto& entry) { return tokens_in(entry.second, now) >= burst_; });
    forget_at_ = std::max<std::size_t>(1024, buckets_.size() * 2);
}

}  // namespace holdfast::http
