#pragma once

#include <cstddef>
#include <set>
#include <string>

namespace holdfast::server {

/// Limits the number of values of a label: the first `most` distinct values are kept, all later ones become
/// "other". Not thread-safe.
class LabelBounds {
public:
    explicit LabelBounds(std::size_t most) : most_(most) {}

    [[nodiscard]] std::string bounded(const std::string& value) {
        if (known_.contains(value)) return value;
        if (known_.size() >= most_) return "other";
        known_.insert(value);
        return value;
    }

private:
    const std::size_t most_;
    std::set<std::string> known_;
};

}  // namespace holdfast::server
