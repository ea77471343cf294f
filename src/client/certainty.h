#pragma once

#include "holdfast/errors.h"

namespace holdfast::client {

/// Calls `ask` again while a commit is in doubt, which ids make harmless, and returns its answer. The fifth
/// CommitInDoubt is passed on to the caller.
template <typename Ask>
auto asked_until_certain(const Ask& ask) {
    constexpr int doubts_resolved = 5;
    for (int doubts = 0;; ++doubts) {
        try {
            return ask();
        } catch (const CommitInDoubt&) {
            if (doubts == doubts_resolved) throw;
        }
    }
}

}  // namespace holdfast::client
