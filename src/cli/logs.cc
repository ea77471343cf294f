#include <fmt/format.h>

#include <deque>
#include <map>
#include <queue>
#include <set>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/ids.h"
#include "cli/tasks/task_log.h"
#include "cli/tasks/timeline.h"
#include "cli/terminal/following.h"
#include "cli/terminal/words.h"
#include "client/operations.h"
#include "views/job.h"

namespace holdfast::cli {

namespace {

constexpr std::string_view server_step = "_server";

struct LogsFlags {
    std::string id;
    std::string step;
    bool follow = false;
    bool raw = false;
};

// Each log has a function print_new(), like that of TaskLog.

/// The events of a job and of its tasks.
class JobEvents {
public:
    JobEvents(const Session& session, store::ClientStore& store, const Uuid& job)
        : session_(session), store_(store), job_(job) {}

    bool print_new() {
        const bool has_ended = is_terminal(client::find_one_job(store_, job_).state);
        const auto read = [&](std::size_t limit) {
            return store_.job_events({.job = job_, .after_id = last_, .limit = limit});
        };
        read_pages(read, [&](const store::EventRecord& event) {
            print(event);
            last_ = event.id;
        });
        session_.io.out.flush();
        return !has_ended;
    }

private:
    void print(const store::EventRecord& event) const {
        if (session_.globals.json)
            session_.print(to_json_shape(views::WholeEvent{event}));
        else
            print_entry(session_.io, {event.at, event_text(event)});
    }

    const Session& session_;
    store::ClientStore& store_;
    const Uuid job_;
    std::int64_t last_ = 0;
};

/// Prints the output of the steps of a job and of its child jobs: one stream in chronological order, each line
/// prefixed with the name of its step ("fetch", "fetch[3]", "report/fetch").
class JobLogs {
public:
    /// With --step, prints only that step, with its items or the steps of its job; its own lines then need no prefix.
    /// With --follow, holds back an unfinished line until its end arrives.
    JobLogs(const Session& session, store::ClientStore& store, const Uuid& job, const LogsFlags& flags)
        : session_(session), store_(store), job_(job), wanted_(flags.step), follows_(flags.follow), raw_(flags.raw) {}

    /// Throws BadInput for an unknown step.
    bool print_new() {
        const bool all_have_ended = collect(job_, "");
        require_wanted_step();
        print_in_order();
        session_.io.out.flush();
        return !all_have_ended;
    }

private:
    // The page size for one task. Kept small, because a job may have ten thousand tasks.
    static constexpr std::size_t records_at_once = 50;

    struct Source {
        std::string path = {};
        Uuid task = {};
        bool has_ended = false;
        std::int64_t offset = 0;
        std::deque<store::LogRecord> page = {};
        std::string unfinished = {};  ///< the unfinished last line
    };

    bool collect(const Uuid& job, const std::string& above) {
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

    void note_task(const StepInfo& step, const std::string& path) {
        if (closed_.contains(step.task)) return;
        Source& source = sources_[step.task];
        source.path = path;
        source.task = step.task;
        source.has_ended = is_terminal(step.state);
    }

    [[nodiscard]] bool is_wanted(const std::string& path) const {
        return wanted_.empty() || path == wanted_ || path.starts_with(wanted_ + "[") ||
               path.starts_with(wanted_ + "/");
    }

    void require_wanted_step() const {
        const std::string step = wanted_.substr(0, wanted_.rfind('['));
        if (wanted_.empty() || known_steps_.contains(step)) return;
        const std::vector<std::string> names(known_steps_.begin(), known_steps_.end());
        throw BadInput(fmt::format("--step: job {} has no step '{}'{}; it has: {}, and _server", job_.to_string(),
                                   wanted_, suggestion(wanted_, names), join(names, ", ")));
    }

    void print_in_order() {
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

    bool refill(Source& source) {
        for (auto& record :
             store_.read_logs({.task = source.task, .after_offset = source.offset, .limit = records_at_once}))
            source.page.push_back(std::move(record));
        if (source.page.empty()) return false;
        source.offset = source.page.back().offset;
        return true;
    }

    void print(Source& source, const store::LogRecord& record) {
        if (!session_.globals.json) return print_lines(source, record);
        session_.print(to_json_shape(views::StepLogLine{source.path, source.task, record}));
    }

    // Prints whole lines only, because two steps may print at the same time.
    void print_lines(Source& source, const store::LogRecord& record) {
        const Tone tone = tone_of_stream(record);
        source.unfinished += record.chunk.text;
        std::size_t begin = 0;
        for (auto end = source.unfinished.find('\n'); end != std::string::npos;
             end = source.unfinished.find('\n', begin)) {
            print_line(source, std::string_view(source.unfinished).substr(begin, end - begin), tone);
            begin = end + 1;
        }
        source.unfinished.erase(0, begin);
    }

    void print_line(const Source& source, std::string_view line, Tone tone) {
        const Io& io = session_.io;
        if (source.path != wanted_) io.out << paint(io, Tone::Faint, fmt::format("{} | ", source.path));
        if (raw_)
            io.raw << line << '\n';
        else
            io.out << paint(io, tone, line) << '\n';
    }

    const Session& session_;
    store::ClientStore& store_;
    const Uuid job_;
    const std::string wanted_;
    const bool follows_;
    const bool raw_;
    std::map<Uuid, Source> sources_;  // by task; only those that may print more
    std::set<Uuid> closed_;           // tasks that were printed completely
    std::set<Uuid> ended_jobs_;       // ... and jobs
    std::set<std::string> known_steps_;
};

// ---- Commands -------------------------------------------------------------------------------------

template <typename Log>
ExitCode print_log(Log log, store::ClientStore& store, bool follow) {
    if (!follow) {
        log.print_new();
        return ExitCode::Done;
    }
    LookPace pace(store);
    while (log.print_new()) {
        pace.rest();
        pace.begin();
    }
    return ExitCode::Done;
}

void require_one_form(const Session& session, const LogsFlags& flags) {
    if (flags.raw && session.globals.json) throw BadInput("--raw and --json exclude each other");
}

ExitCode print_task_logs(Session& session, const LogsFlags& flags) {
    require_one_form(session, flags);
    const auto store = session.open_store(Access::AsItIs);
    const Uuid task = resolve_task(*store, flags.id).task.id;
    return print_log(TaskLog(session, *store, task, flags.raw), *store, flags.follow);
}

ExitCode print_job_logs(Session& session, const LogsFlags& flags) {
    require_one_form(session, flags);
    const auto store = session.open_store(Access::AsItIs);
    const Uuid job = resolve_job(*store, flags.id).id;
    if (flags.step == server_step) return print_log(JobEvents(session, *store, job), *store, flags.follow);
    return print_log(JobLogs(session, *store, job, flags), *store, flags.follow);
}

void add_log_options(Command& command, LogsFlags& flags, const char* follow_help) {
    command.argument("ID", flags.id, "Its id, or the beginning of it");
    command.flag("-f,--follow", flags.follow, follow_help);
    command.flag("--raw", flags.raw, "As the runs printed it, with every byte that a terminal would act upon");
}

}  // namespace

void add_tasks_logs(Command& tasks) {
    auto [command, given] = tasks.add("logs", "What the runs of a task printed", print_task_logs);
    command.examples({"holdfast tasks logs 01998a2b-7c1d --follow"});
    add_log_options(command, given, "Go on until the task has ended");
}

void add_jobs_logs(Command& jobs) {
    auto [command, given] = jobs.add("logs", "What the steps of a job printed, in order", print_job_logs);
    add_log_options(command, given, "Go on until the job has ended");
    command.text("--step", given.step, "NAME", "Only this step; _server: what the engine did to the job");
    command.examples(
        {"holdfast jobs logs 01998a2b-7c1d --follow", "holdfast jobs logs 01998a2b-7c1d --step build --raw"});
}

}  // namespace holdfast::cli
