#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/random.h"

namespace holdfast::test {

/// Draws the given numbers, over and over.
class FixedRandom : public Random {
public:
    explicit FixedRandom(std::vector<std::uint64_t> draws) : draws_(std::move(draws)) {}
    std::uint64_t next() override { return draws_[position_++ % draws_.size()]; }

private:
    std::vector<std::uint64_t> draws_;
    std::size_t position_ = 0;
};

}  // namespace holdfast::test
