#include <algorithm>

#include "base/text.h"
#include "server/api/ids.h"
#include "server/api/resources.h"
#include "views/job.h"

namespace holdfast::api {

namespace {

constexpr std::string_view server_step = "_server";
/// Each of them is asked about: whoever wants to read a step with more items names one.
constexpr std::size_t most_tasks = 500;

std::string base_name(const std::string& step) {
    return step.substr(0, step.rfind('['));
}

/// The step and its items, in order.
std::vector<StepInfo> read_steps(Call& call, const JobInfo& job) {
    const std::string& name = call.path("step");
    auto steps = call.store().steps({.job = job.id, .with_items = true, .step = base_name(name)});
    const bool is_there = std::ranges::find(steps, name, &StepInfo::name) != steps.end();
    if (!is_there) throw Problem("NOT_FOUND", concat("job ", job.id.to_string(), " has no step '", name, "'"));
    if (name != base_name(name)) std::erase_if(steps, [&](const StepInfo& step) { return step.name != name; });
    return steps;
}

// ---- Logs ---------------------------------------------------------------------------------------

/// A task that logs, and the step that it belongs to.
struct Source {
    std::string step = {};
    Uuid task = {};
};

struct Sources {
    std::vector<Source> all = {};
    bool have_ended = true;

    void add(const StepInfo& step, const std::string& path) {
        have_ended = have_ended && is_terminal(step.state);
        if (!step.task.is_nil()) all.push_back({path, step.task});
        if (all.size() > most_tasks)
            throw Problem("REFUSED",
                          concat("this step has more than ", most_tasks, " tasks; ask for one item: ", path));
    }
};

/// The tasks of these steps and of the jobs that they started: "report/fetch".
void collect(store::ClientStore& store, const std::vector<StepInfo>& steps, const std::string& above,
             Sources& sources) {
    for (const StepInfo& step : steps) {
        const std::string path = above + step.name;
        sources.add(step, path);
        if (!step.child.is_nil())
            collect(store, store.steps({.job = step.child, .with_items = true, .step = {}}), path + "/", sources);
    }
}

/// Offsets count over all tasks of a store: what was stored first stands first, whichever task it is of.
std::vector<views::StepLogLine> read_once(Call& call, const std::vector<Source>& sources, std::int64_t after) {
    std::vector<views::StepLogLine> lines;
    for (const Source& source : sources)
        for (auto& record :
             call.store().read_logs({.task = source.task, .after_offset = after, .limit = call.limit()}))
            lines.push_back({source.step, source.task, std::move(record)});
    std::ranges::sort(lines, {}, [](const views::StepLogLine& line) { return line.line.offset; });
    if (lines.size() > call.limit())
        lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(call.limit()), lines.end());
    return lines;
}

/// One task is read after the other: by the time the last one is, the first may have lines that stand before those of
/// the last. So all are read again, up to where the first look ended.
std::vector<views::StepLogLine> read_lines(Call& call, const std::vector<Source>& sources, std::int64_t after) {
    std::vector<views::StepLogLine> lines = read_once(call, sources, after);
    if (lines.empty() || sources.size() == 1) return lines;
    const std::int64_t end = lines.back().line.offset;
    lines = read_once(call, sources, after);
    std::erase_if(lines, [end](const views::StepLogLine& line) { return line.line.offset > end; });
    return lines;
}

http::Response read_job_events(Call& call, const JobInfo& job) {
    const std::int64_t after = call.number("after", 0);
    const auto events = call.store().job_events({.job = job.id, .after_id = after, .limit = call.limit()});
    return answer({{"items", views::array_of(std::vector<views::WholeEvent>(events.begin(), events.end()))},
                   {"next", events.empty() ? after : events.back().id},
                   {"ended", events.size() < call.limit() && is_terminal(job.state)}});
}

}  // namespace

http::Reply show_step(Call& call) {
    const auto steps = read_steps(call, find_job(call.store(), call.path("id")));
    const std::vector<StepInfo> items(steps.begin() + 1, steps.end());
    return answer({{"step", views::to_json_shape(steps.front())}, {"items", views::array_of(items)}});
}

// The states are read before the logs: what a run logs is stored before its end is.
http::Reply read_step_log(Call& call) {
    const JobInfo job = find_job(call.store(), call.path("id"));
    if (call.path("step") == server_step) return read_job_events(call, job);
    Sources sources;
    collect(call.store(), read_steps(call, job), "", sources);
    const std::int64_t after = call.number("after", 0);
    const auto lines = read_lines(call, sources.all, after);
    return answer({{"items", views::array_of(lines)},
                   {"next", lines.empty() ? after : lines.back().line.offset},
                   {"ended", lines.size() < call.limit() && sources.have_ended}});
}

}  // namespace holdfast::api
