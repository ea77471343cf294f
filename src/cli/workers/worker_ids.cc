#include "cli/workers/worker_ids.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/session.h"

namespace holdfast::cli {

namespace {

using Records = std::vector<store::WorkerRecord>;

template <typename Wanted>
Records only(const Records& records, Wanted wanted) {
    Records found;
    std::copy_if(records.begin(), records.end(), std::back_inserter(found), wanted);
    return found;
}

bool has_left(const store::WorkerRecord& record) {
    return record.status == store::WorkerStatus::Inactive;
}

Records matching(const Records& all, const std::string& text, Likely likely) {
    Records named = only(all, [&](const auto& record) { return record.registration.name == text; });
    Records likelier = only(named, [&](const auto& record) { return has_left(record) == (likely == Likely::Left); });
    if (!likelier.empty()) return likelier;
    if (!named.empty() || text.empty()) return named;
    return only(all, [&](const auto& record) { return record.registration.id.to_string().starts_with(text); });
}

[[noreturn]] void refuse_ambiguous(const std::string& text, const Records& found) {
    std::vector<std::string> candidates;
    for (const auto& record : found)
        candidates.push_back(fmt::format("{} ({}, {})", record.registration.id.to_string(), record.registration.name,
                                         to_text(record.status)));
    throw BadInput(fmt::format("'{}' is more than one worker; give an id: {}", text, join(candidates, ", ")));
}

store::WorkerRecord resolve(const Records& all, const std::string& text, Likely likely) {
    const Records found = matching(all, text, likely);
    if (found.empty())
        throw UnknownWorker(
            fmt::format("there is no worker '{}'; 'holdfast workers list --all' shows those there are", text));
    if (found.size() > 1) refuse_ambiguous(text, found);
    return found.front();
}

}  // namespace

Records resolve_workers(store::Store& store, const std::vector<std::string>& names, Likely likely) {
    const Records all = store.workers();
    Records resolved;
    for (const auto& name : names) resolved.push_back(resolve(all, name, likely));
    return resolved;
}

}  // namespace holdfast::cli
