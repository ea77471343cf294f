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

/// The faults of the workflows of one file, reported at their places, and remembered, so that nothing
/// is concluded from what could not be read.
class WorkflowComplaints {
public:
    WorkflowComplaints(std::string file, Draft& draft) : file_(std::move(file)), draft_(draft) {}

    /// A value that does not fit.
    void misfit(const SourceNode& entry, std::string title, std::string allowed, std::string suggestion = "");
    /// A sentence about an entry, or about a path below it that is not there.
    void complain(const SourceNode& entry, const std::string& path, std::string title, std::string suggestion = "");
    void unknown_key(const SourceNode& entry, const std::vector<std::string>& known);
    /// A step that stands there names a concurrency key.
    void note_key(const SourceNode& entry, const core::WorkflowStep& step);
    /// Nothing below this path can be trusted any more.
    void distrust(const std::string& path) { distrusted_.insert(path); }

    [[nodiscard]] bool is_distrusted(std::string_view path) const;

    /// The value of an option; nullopt when it does not fit, which is reported.
    [[nodiscard]] std::optional<Value> read(const Option& option, const SourceNode& entry);

private:
    [[nodiscard]] Origin origin(const SourceNode& entry) const { return {OriginKind::File, file_, entry.key_at}; }

    std::string file_;
    Draft& draft_;
    std::set<std::string, std::less<>> distrusted_;
};

/// "a.b[1]" for "a.b[1].c"; empty for a path of one part.
[[nodiscard]] std::string_view parent_path(std::string_view path);

}  // namespace holdfast::config
