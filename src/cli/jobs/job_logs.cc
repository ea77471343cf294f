#include "cli/jobs/job_logs.h"

#include <fmt/format.h>

#include <ostream>
#include <queue>

#include "base/text.h"
#include "cli/terminal/json_shapes.h"
#include "cli/terminal/words.h"
#include "client/job_operations.h"

namespace holdfast::cli {

namespace {

// The page size for one task. Kept small, because a job may have ten thousand tasks.
constexpr std::size_t records_at_once = 50;

}  // namespace

// States are read before logs, because a run stores its logs before its end.
bool JobLogs::print_new() {
    const bool all_have_ended = collect(job_, "");
    require_wanted_step();
    print_in_order();
    session_.io.out.flush();
    return !all_have_ended;
}

bool JobLogs::collect(const Uuid& job, const std::string& above) {
    if (ended_jobs_.contains(job)) return true;
    bool all_have_ended = is_terminal(client::find_one_job(store_, job).state);
    for (const StepInfo& step : store_.steps({.job = job, .with_items = true, .step = {}})) {
        const std::string path = above + step.name;
        if (step.item < 0) known_steps_.insert(path);
        if (!is_terminal(step.state)) all_have_ended = false;
        if (!step.task.is_nil() && is_wanted(path)) note_task(step, path);
        if (!step.child.is_nil() && !collect(step.child, path + "/")) all_have_ended = false;
    }
    if (all_have_ended) ended_jobs_.insert(job);
    return all_have_ended;
}

void JobLogs::note_task(const StepInfo& step, const std::string& path) {
    if (closed_.contains(step.task)) return;
    Source& source = sources_[step.task];
    source.path = path;
    source.task = step.task;
    source.has_ended = is_terminal(step.state);
}

bool JobLogs::is_wanted(const std::string& path) const {
    return wanted_.empty() || path == wanted_ || path.starts_with(wanted_ + "[") || path.starts_with(wanted_ + "/");
}

void JobLogs::require_wanted_step() const {
    const std::string step = wanted_.substr(0, wanted_.rfind('['));
    if (wanted_.empty() || known_steps_.contains(step)) return;
    const std::vector<std::string> names(known_steps_.begin(), known_steps_.end());
    throw BadInput(fmt::format("--step: job {} has no step '{}'{}; it has: {}, and _server", job_.to_string(),
                               wanted_, suggestion(wanted_, names), join(names, ", ")));
}

void JobLogs::print_in_order() {
    const auto is_later = [](const Source* left, const Source* right) {
        return left->page.front().chunk.at > right->page.front().chunk.at;
    };
    std::priority_queue<Source*, std::vector<Source*>, decltype(is_later)> next(is_later);
    for (auto& [task, source] : sources_)
        if (refill(source)) next.push(&source);
    while (!next.empty()) {
        Source& source = *next.top();
        next.pop();
        const store::LogRecord record = std::move(source.page.front());
        source.page.pop_front();
        print(source, record);
        if (!source.page.empty() || refill(source)) next.push(&source);
    }
    std::erase_if(sources_, [&](const auto& entry) {
        const Source& source = entry.second;
        if (!source.has_ended && follows_) return false;
        if (!source.unfinished.empty()) print_line(source, source.unfinished, Tone::Plain);
        closed_.insert(source.task);
        return true;
    });
}

bool JobLogs::refill(Source& source) {
    for (auto& record :
         store_.read_logs({.task = source.task, .after_offset = source.offset, .limit = records_at_once}))
        source.page.push_back(std::move(record));
    if (source.page.empty()) return false;
    source.offset = source.page.back().offset;
    return true;
}

void JobLogs::print(Source& source, const store::LogRecord& record) {
    if (!session_.globals.json) return print_lines(source, record);
    session_.print(to_json_shape(views::StepLogLine{source.path, source.task, record}));
}

// Prints whole lines only, because two steps may print at the same time.
void JobLogs::print_lines(Source& source, const store::LogRecord& record) {
    const Tone tone = record.chunk.stream == "stderr" ? Tone::Bad : Tone::Plain;
    source.unfinished += record.chunk.text;
    std::size_t begin = 0;
    for (auto end = source.unfinished.find('\n'); end != std::string::npos;
         end = source.unfinished.find('\n', begin)) {
        print_line(source, std::string_view(source.unfinished).substr(begin, end - begin), tone);
        begin = end + 1;
    }
    source.unfinished.erase(0, begin);
}

void JobLogs::print_line(const Source& source, std::string_view line, Tone tone) {
    const Io& io = session_.io;
    if (source.path != wanted_) io.out << paint(io, Tone::Faint, fmt::format("{} | ", source.path));
    if (raw_)
        io.raw << line << '\n';
    else
        io.out << paint(io, tone, line) << '\n';
}

}  // namespace holdfast::cli
