#pragma once

#include "store/check_rules.h"

namespace holdfast::store {

/// What a person does to a whole store. Only a process with a store of its own calls it. The rules for all verbs
/// stand at Store, in store/store.h.
class UpkeepStore {
public:
    virtual ~UpkeepStore() = default;

    /// Reads the whole store on one snapshot and reports every rule that does not hold (store/check_rules.h). Takes
    /// as long as the store is large, and blocks nobody.
    virtual CheckReport check() = 0;
};

}  // namespace holdfast::store
