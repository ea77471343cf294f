#pragma once

#include <cstdlib>

/// Ends the program, which the fuzzer takes as a fault, when something that must hold does not.
inline void require(bool holds) {
    if (!holds) std::abort();
}
