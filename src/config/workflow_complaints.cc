#include "config/workflow_complaints.h"

#include "base/text.h"
#include "config/shown.h"
#include "config/values.h"

namespace holdfast::config {

std::string_view parent_path(std::string_view path) {
    const std::size_t end = path.find_last_of(".[");
    return end == std::string_view::npos ? std::string_view() : path.substr(0, end);
}

void WorkflowComplaints::misfit(const SourceNode& entry, std::string title, std::string allowed,
                                std::string suggestion) {
    distrust(entry.path);
    draft_.complain({.where = origin(entry),
                     .key = mask_password(entry.path),
                     .title = std::move(title),
                     .found = shown_under(entry.key, entry),
                     .allowed = std::move(allowed),
                     .suggestion = std::move(suggestion)});
}

void WorkflowComplaints::complain(const SourceNode& entry, const std::string& path, std::string title,
                                  std::string suggestion) {
    distrust(path);
    draft_.complain({.where = origin(entry),
                     .key = mask_password(path),
                     .title = std::move(title),
                     .found = "",
                     .allowed = "",
                     .suggestion = std::move(suggestion)});
}

void WorkflowComplaints::unknown_key(const SourceNode& entry, const std::vector<std::string>& known) {
    const auto near = nearest_word(entry.key, known);
    // The rest of the step depends on these two keys: without them, its other keys would cause follow-up errors.
    if (near == "depends_on" || near == "for_each") distrust(std::string(parent_path(entry.path)));
    misfit(entry, "unknown key", join(known, ", "), near ? concat("did you mean ", *near, "?") : "");
}

void WorkflowComplaints::note_key(const SourceNode& entry, const core::WorkflowStep& step) {
    draft_.note({.where = origin(entry),
                 .path = entry.path,
                 .key = step.concurrency_key,
                 .queue = step.queue,
                 .limit = step.concurrency_limit});
}

bool WorkflowComplaints::is_distrusted(std::string_view path) const {
    for (; !path.empty(); path = parent_path(path))
        if (distrusted_.contains(path)) return true;
    return false;
}

std::optional<Value> WorkflowComplaints::read(const Option& option, const SourceNode& entry) {
    auto value = read_value(option, entry);
    if (value.ok()) return std::move(value).value();
    misfit(entry, value.error().title, allowed_values(option), value.error().suggestion);
    return std::nullopt;
}

}  // namespace holdfast::config
