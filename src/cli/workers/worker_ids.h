#pragma once

#include <string>
#include <vector>

#include "store/store.h"

namespace holdfast::cli {

/// Which of several workers with one name a person more likely means.
enum class Likely {
    Present,  ///< those that have not left
    Left,     ///< those that have
};

/// The workers that a person means by names, whole ids or unique beginnings of ids. A name counts for the likely ones
/// if there are any. Throws UnknownWorker when there is none, BadInput when there are several (it then names them).
[[nodiscard]] std::vector<store::WorkerRecord> resolve_workers(store::Store& store,
                                                               const std::vector<std::string>& names, Likely likely);

}  // namespace holdfast::cli
