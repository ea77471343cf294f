#include "proof/sim/dice.h"

#include <cmath>

namespace holdfast::sim {

Duration Dice::logarithmic(Duration least, Duration most) {
    const double low = std::log(static_cast<double>(least.count()));
    const double high = std::log(static_cast<double>(most.count()));
    return Duration(std::llround(std::exp(low + fraction() * (high - low))));
}

}  // namespace holdfast::sim
