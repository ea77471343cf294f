#include "cli/tasks/task_ids.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "client/task_operations.h"

namespace holdfast::cli {

namespace {

constexpr std::size_t candidates_shown = 5;

[[noreturn]] void refuse_ambiguous(const std::string& prefix, const std::vector<store::TaskRecord>& found) {
    std::vector<std::string> candidates;
    for (const auto& record : found)
        candidates.push_back(
            fmt::format("{} ({}, {})", record.task.id.to_string(), record.task.name, to_text(record.state)));
    if (candidates.size() > candidates_shown) candidates.back() = "...";
    throw BadInput(fmt::format("'{}' begins the id of more than one task; give more digits: {}", prefix,
                               join(candidates, ", ")));
}

}  // namespace

store::TaskRecord resolve_task(store::Store& store, const std::string& id_or_prefix) {
    if (const auto id = Uuid::parse(id_or_prefix)) return client::find_one(store, *id);
    if (!may_begin_an_id(id_or_prefix))
        throw BadInput(
            fmt::format("'{}' is no task id; an id, or the beginning of one, consists of the digits 0-9 and "
                        "a-f and dashes ('holdfast tasks list' shows them)",
                        id_or_prefix));
    auto found =
        store.list({.filter = {.states = {}, .name = {}, .queue = {}, .id_prefix = id_or_prefix, .worker = {}},
                    .after = {},
                    .limit = candidates_shown + 1});
    if (found.empty())
        throw UnknownTask(fmt::format(
            "there is no task whose id begins with '{}'; 'holdfast tasks list' shows those there are", id_or_prefix));
    if (found.size() > 1) refuse_ambiguous(id_or_prefix, found);
    return std::move(found.front());
}

std::vector<store::TaskRecord> resolve_tasks(store::Store& store, const std::vector<std::string>& ids) {
    std::vector<store::TaskRecord> records;
    for (const auto& id : ids) records.push_back(resolve_task(store, id));
    return records;
}

std::vector<Uuid> ids_of(const std::vector<store::TaskRecord>& records) {
    std::vector<Uuid> ids;
    for (const auto& record : records) ids.push_back(record.task.id);
    return ids;
}

}  // namespace holdfast::cli
