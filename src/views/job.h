#pragma once

#include <string>
#include <vector>

#include "holdfast/job.h"
#include "views/task.h"

namespace holdfast::views {

/// A step in the graph of its job.
struct GraphStep {
    StepInfo step = {};
    std::vector<std::string> depends_on = {};
};
struct Edge {
    std::string from = {}, to = {};
};
struct JobStory {
    JobInfo job = {};
    std::vector<GraphStep> steps = {};
    std::vector<Edge> edges = {};
};

/// A line that a task of a job printed, and the step that it belongs to: "fetch", "report/fetch" in a child job.
struct StepLogLine {
    std::string step = {};
    Uuid task = {};
    store::LogRecord line = {};
};

Table<StepCounts> table(Of<StepCounts>);
Table<JobInfo> table(Of<JobInfo>);
Table<StepInfo> table(Of<StepInfo>);
Table<GraphStep> table(Of<GraphStep>);
Table<Edge> table(Of<Edge>);
Table<JobStory> table(Of<JobStory>);
Table<StepLogLine> table(Of<StepLogLine>);
Table<store::JobCounts> table(Of<store::JobCounts>);

}  // namespace holdfast::views
