#pragma once

#include "holdfast/errors.h"

namespace holdfast::store {

// Stores throw the public classes; each says there what its catcher must do.
using holdfast::CommitInDoubt;
using holdfast::Full;
using holdfast::StoreError;
using holdfast::Unavailable;
using holdfast::Unusable;

/// There is no connection: nothing of the call has reached the store.
class Unreachable : public Unavailable {
public:
    using Unavailable::Unavailable;
};

}  // namespace holdfast::store
