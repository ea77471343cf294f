#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

namespace holdfast::contract {

/// Times that were measured, for people to read in the test's output.
class Latencies {
public:
    void add(std::chrono::nanoseconds time) {
        times_.push_back(std::chrono::duration<double, std::milli>(time).count());
    }

    template <typename Call>
    void time(const Call& call) {
        const auto begin = std::chrono::steady_clock::now();
        call();
        add(std::chrono::steady_clock::now() - begin);
    }

    [[nodiscard]] double quantile(double q) const {
        auto sorted = times_;
        std::sort(sorted.begin(), sorted.end());
        return sorted.at(static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1)));
    }
    [[nodiscard]] double longest() const { return quantile(1.0); }

    void print(const char* what) const {
        std::printf("%s: %zu times, median %.3f ms, p99 %.3f ms, longest %.3f ms\n", what, times_.size(),
                    quantile(0.5), quantile(0.99), longest());
    }

private:
    std::vector<double> times_;
};

}  // namespace holdfast::contract
