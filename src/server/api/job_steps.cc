#include <algorithm>

#include "base/text.h"
#include "server/api/ids.h"
#include "server/api/resources.h"
#include "views/job.h"

namespace holdfast::api {

namespace {

constexpr std::string_view server_step = "_server";
/// The handler reads the log of each task separately. The client of a step with more tasks must name one item.
constexpr std::size_t most_tasks = 500;

std::string base_name(const std::string& step) {
    return step.substr(0, step.rfind('['));
}

/// Returns the step and its items, in order.
std::vector<StepInfo> read_steps(Call& call, const JobInfo& job) {
    const std::string& name = call.path("step");
    auto steps = call.store().steps({.job = job.id, .with_items = true, .step = base_name(name)});
    const bool is_there = std::ranges::find(steps, name, &StepInfo::name) != steps.end();
    if (!is_there) throw Problem("NOT_FOUND", concat("job ", job.id.to_string(), " has no step '", name, "'"));
    if (name != base_name(name)) std::erase_if(steps, [&](const StepInfo& step) { return step.name != name; });
    return steps;
}

// ---- Logs ---------------------------------------------------------------------------------------

/// A task with a log, and the path of its step.
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

/// Adds the tasks of these steps and of the jobs that they started, with paths such as "report/fetch".
void collect(store::ClientStore& store, const std::vector<StepInfo>& steps, const std::string& above,
             Sources& sources) {
    for (const StepInfo& step : steps) {
        const std::string path = above + step.name;
        sources.add(step, path);
        if (!step.child.is_nil())
            collect(store, store.steps({.job = step.child, .with_items = true, .step = {}}), path + "/", sources);
    }
}

std::int64_t offset_of(const views::StepLogLine& line) {
    return line.line.offset;
}

/// Offsets are unique across all tasks of a store, so sorting by them gives the order in which lines were stored.
std::vector<views::StepLogLine> read_once(Call& call, const std::vector<Source>& sources, std::int64_t after) {
    std::vector<views::StepLogLine> lines;
    for (const Source& source : sources)
        for (auto& record :
             call.store().read_logs({.task = source.task, .after_offset = after, .limit = call.limit()}))
            lines.push_back({source.step, source.task, std::move(record)});
    std::ranges::sort(lines, {}, offset_of);
    if (lines.size() > call.limit())
        lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(call.limit()), lines.end());
    return lines;
}

/// The tasks are read one after the other. By the time of the last read, the first task may have new lines that
/// belong before those of the last. So all are read again, up to the offset where the first pass ended.
std::vector<views::StepLogLine> read_lines(Call& call, const std::vector<Source>& sources, std::int64_t after) {
    std::vector<views::StepLogLine> lines = read_once(call, sources, after);
    if (lines.empty() || sources.size() == 1) return lines;
    const std::int64_t end = offset_of(lines.back());
    lines = read_once(call, sources, after);
    std::erase_if(lines, [end](const views::StepLogLine& line) { return offset_of(line) > end; });
    return lines;
}

http::Response read_job_events(Call& call, const JobInfo& job) {
    const auto events =
        call.store().job_events({.job = job.id, .after_id = call.number("after", 0), .limit = call.limit()});
    return answer_lines(call, std::vector<views::WholeEvent>(events.begin(), events.end()), &store::EventRecord::id,
                        is_terminal(job.state));
}

}  // namespace

http::Reply show_step(Call& call) {
    const auto steps = read_steps(call, find_job(call.store(), call.path("id")));
    const std::vector<StepInfo> items(steps.begin() + 1, steps.end());
    return answer({{"step", views::to_json_shape(steps.front())}, {"items", views::array_of(items)}});
}

// The states are read before the logs: a run stores its output before its end, so an ended step has its whole log.
http::Reply read_step_log(Call& call) {
    const JobInfo job = find_job(call.store(), call.path("id"));
    if (call.path("step") == server_step) return read_job_events(call, job);
    Sources sources;
    collect(call.store(), read_steps(call, job), "", sources);
    return answer_lines(call, read_lines(call, sources.all, call.number("after", 0)), offset_of, sources.have_ended);
}

}  // namespace holdfast::api
