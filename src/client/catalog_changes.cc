#include "client/catalog_changes.h"

#include <map>

#include "base/text.h"

namespace holdfast::client {

namespace {

using core::KeyDeclaration;
using store::DeclareStatus;

std::vector<KeyDeclaration> declared_keys(store::ClientStore& store) {
    std::vector<KeyDeclaration> declared;
    for (auto& record : store.keys({}))
        if (record.declared) declared.push_back(std::move(record.key));
    return declared;
}

DeclareStatus status_among(const std::vector<KeyDeclaration>& declared, const KeyDeclaration& key) {
    for (const KeyDeclaration& old : declared) {
        if (old.key != key.key) continue;
        if (old.queue == key.queue) return old.limit == key.limit ? DeclareStatus::Unchanged : DeclareStatus::Changed;
        if (old.is_shared()) return DeclareStatus::IsShared;
    }
    return DeclareStatus::New;
}

}  // namespace

std::string key_name(const std::string& key, const std::string& queue) {
    return queue.empty() ? concat(key, ", shared,") : concat(key, " of queue ", queue);
}

KeyChanges compare_keys(store::ClientStore& store, const std::vector<KeyDeclaration>& wanted) {
    const auto declared = declared_keys(store);
    KeyChanges changes;
    for (const KeyDeclaration& key : wanted) changes.configured.emplace_back(key, status_among(declared, key));
    const auto is_wanted = [&](const KeyDeclaration& old) {
        return std::ranges::any_of(wanted, [&](const KeyDeclaration& key) {
            return key.key == old.key && (key.queue == old.queue || key.is_shared() || old.is_shared());
        });
    };
    std::ranges::remove_copy_if(declared, std::back_inserter(changes.not_configured), is_wanted);
    return changes;
}

KeyChanges put_keys(store::ClientStore& store, const std::vector<KeyDeclaration>& wanted, const std::string& who) {
    KeyChanges changes = compare_keys(store, wanted);
    for (auto& [key, status] : changes.configured) status = store.declare_key(key, who);
    return changes;
}

ScheduleChanges compare_schedules(store::ClientStore& store, const std::vector<store::ScheduleDefinition>& wanted) {
    std::map<std::string, store::ScheduleDefinition> stored;
    for (auto& record : store.schedules()) stored.emplace(record.schedule.name, std::move(record.schedule));
    ScheduleChanges changes;
    for (const store::ScheduleDefinition& schedule : wanted) {
        const auto old = stored.extract(schedule.name);
        const auto change = old.empty()                ? ScheduleChange::New
                            : old.mapped() == schedule ? ScheduleChange::Unchanged
                                                       : ScheduleChange::Changed;
        changes.configured.emplace_back(schedule.name, change);
    }
    for (const auto& [name, definition] : stored) changes.not_configured.push_back(name);
    return changes;
}

ScheduleChanges put_schedules(store::Store& store, const std::vector<store::ScheduleDefinition>& wanted,
                              const std::string& who) {
    ScheduleChanges changes = compare_schedules(store, wanted);
    for (const store::ScheduleDefinition& schedule : wanted) store.put_schedule(schedule, who);
    return changes;
}

}  // namespace holdfast::client
