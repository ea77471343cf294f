#include "store/jobs/definition_cache.h"

#include "base/ids.h"
#include "base/text.h"

namespace holdfast::store {

namespace {

/// The bytes of definition texts to keep; their plans take several times as much.
constexpr std::size_t max_cached_bytes = 16 << 20;

}  // namespace

std::shared_ptr<const core::BundlePlan> DefinitionCache::find(const Uuid& definition) {
    const std::lock_guard lock(mutex_);
    const auto place = places_.find(definition);
    if (place == places_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, place->second);
    return place->second->plan;
}

std::shared_ptr<const core::BundlePlan> DefinitionCache::add(const Uuid& definition, const std::string& text) {
    auto plan = core::plan_bundle(text);
    if (!plan.ok()) throw BadDefinition(concat("the workflow's definition cannot be used: ", plan.error()));
    auto shared = std::make_shared<const core::BundlePlan>(std::move(plan).value());
    const std::lock_guard lock(mutex_);
    if (const auto place = places_.find(definition); place != places_.end()) return place->second->plan;
    entries_.push_front({definition, shared, text.size()});
    places_[definition] = entries_.begin();
    bytes_ += text.size();
    make_room();
    return shared;
}

void DefinitionCache::make_room() {
    while (bytes_ > max_cached_bytes && entries_.size() > 1) {
        bytes_ -= entries_.back().bytes;
        places_.erase(entries_.back().definition);
        entries_.pop_back();
    }
}

Uuid definition_id(const std::string& text) {
    return name_based_uuid(Timestamp(), text);
}

}  // namespace holdfast::store
