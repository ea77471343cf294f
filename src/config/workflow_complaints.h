#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/draft.h"
#include "config/fields.h"
#include "config/source_node.h"
#include "core/workflow/workflow.h"

namespace holdfast::config {

/// Reports the faults of the workflows of one file with their positions, and remembers their paths, so that later
/// checks skip the parts that could not be read.
class WorkflowComplaints {
public:
    WorkflowComplaints(std::string file, Draft& draft) : file_(std::move(file)), draft_(draft) {}

    /// Reports an invalid value.
    void misfit(const SourceNode& entry, std::string title, std::string allowed, std::string suggestion = "");
    /// Reports a fault of an entry, or of a path below it that is missing.
    void complain(const SourceNode& entry, const std::string& path, std::string title, std::string suggestion = "");
    void unknown_key(const SourceNode& entry, const std::vector<std::string>& known);
    /// Records that the step at `entry` uses a concurrency key.
    void note_key(const SourceNode& entry, const core::WorkflowStep& step);
    /// Excludes everything below this path from later checks.
    void distrust(const std::string& path) { distrusted_.insert(path); }

    [[nodiscard]] bool is_distrusted(std::string_view path) const;

    /// Reads the value of an option; nullopt when it is invalid, which is reported.
    [[nodiscard]] std::optional<Value> read(const Option& option, const SourceNode& entry);

private:
    [[nodiscard]] Origin origin(const SourceNode& entry) const { return {OriginKind::File, file_, entry.key_at}; }

    std::string file_;
    Draft& draft_;
    std::set<std::string, std::less<>> distrusted_;
};

/// The path without its last part: "a.b[1]" for "a.b[1].c"; empty for a path of one part.
[[nodiscard]] std::string_view parent_path(std::string_view path);

}  // namespace holdfast::config
