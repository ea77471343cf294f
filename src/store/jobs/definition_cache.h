#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "core/workflow/plan.h"
#include "holdfast/uuid.h"
#include "store/errors.h"

namespace holdfast::store {

/// The definitions that this process has met lately, planned. A definition of ten thousand steps is read once, not at
/// the end of each of its steps. Safe to use from several threads.
class DefinitionCache {
public:
    /// Plans are shared, so one that is in use outlives its place here. nullptr: not here.
    [[nodiscard]] std::shared_ptr<const core::BundlePlan> find(const Uuid& definition);
    /// Plans the text and keeps it. Throws store::BadDefinition when it cannot be planned.
    std::shared_ptr<const core::BundlePlan> add(const Uuid& definition, const std::string& text);

private:
    struct Entry {
        Uuid definition;
        std::shared_ptr<const core::BundlePlan> plan;
        std::size_t bytes = 0;
    };
    void make_room();

    std::mutex mutex_;
    std::list<Entry> entries_;  // the latest used first
    std::unordered_map<Uuid, std::list<Entry>::iterator> places_;
    std::size_t bytes_ = 0;
};

/// A stored definition that cannot be read: its jobs cannot be advanced.
struct BadDefinition : StoreError {
    using StoreError::StoreError;
};

/// The id under which a definition's text is stored.
[[nodiscard]] Uuid definition_id(const std::string& text);

}  // namespace holdfast::store
