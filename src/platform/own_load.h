#pragma once

#include "holdfast/time.h"

namespace holdfast::platform {

/// The resources that this process and its ended children use.
class OwnLoad {
public:
    struct Sample {
        double cpu_percent = 0;  ///< of one core, since the sample before
        double memory_mb = 0;    ///< resident now
        double load = 0;         ///< of the machine, over the last minute
    };
    [[nodiscard]] Sample sample();

private:
    Duration cpu_before_{};
    Duration at_before_{};
};

}  // namespace holdfast::platform
