#pragma once

#include "holdfast/errors.h"

namespace holdfast::client {

/// What `ask` answers, asked again while a commit is in doubt: ids make that harmless. After five doubts the caller
/// has it.
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
