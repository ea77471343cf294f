#include "cli/jobs/waiting.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/ids.h"
#include "cli/jobs/job_tree.h"
#include "cli/tasks/timeline.h"
#include "cli/terminal/words.h"
#include "client/operations.h"
#include "views/job.h"

namespace holdfast::cli {

namespace {

// ---- Views ----------------------------------------------------------------------------------------

constexpr int least_rows = 5;
constexpr int least_columns = 40;

/// Shows the progress of a job to a person.
class JobView {
public:
    virtual ~JobView() = default;
    /// Reads the job, shows its changes and returns it. Throws UnknownJob.
    virtual JobInfo show(const Uuid& job) = 0;
};

class SilentJobView : public JobView {
public:
    explicit SilentJobView(store::ClientStore& store) : store_(store) {}
    JobInfo show(const Uuid& job) override { return client::find_one_job(store_, job); }

private:
    store::ClientStore& store_;
};

class LiveJobView : public JobView {
public:
    LiveJobView(const Io& io, store::ClientStore& store, ScreenSize size)
        : store_(store), rows_(size.rows), utf8_(speaks_utf8(io)), last_lines_(store), screen_(io, size.columns) {}

    JobInfo show(const Uuid& job) override {
        const JobTree tree = read_job_tree(
            store_, job, {.with_items = false, .wants_child = is_interesting, .last_lines = &last_lines_});
        // The last frame stays on the screen and may scroll.
        screen_.draw(is_terminal(tree.job.state) ? all_of(tree_lines(tree, utf8_)) : fitted(tree_lines(tree, utf8_)));
        return tree.job;
    }

private:
    static bool is_interesting(const StepInfo& step) {
        return !is_terminal(step.state) || step.state == StepState::Failed;
    }

    static std::vector<ViewLine> all_of(std::vector<TreeLine> lines) {
        std::vector<ViewLine> frame;
        for (TreeLine& line : lines) frame.push_back(std::move(line.pieces));
        return frame;
    }

    /// The cursor cannot move above the first row of the screen, so the frame must fit; idle lines are left out
    /// first.
    [[nodiscard]] std::vector<ViewLine> fitted(std::vector<TreeLine> lines) const {
        const auto room = static_cast<std::size_t>(rows_ - 1);
        if (lines.size() <= room) return all_of(std::move(lines));
        const std::size_t all = lines.size();
        auto left_out = all - (room - 1);
        std::erase_if(lines, [&](const TreeLine& line) {
            if (line.is_busy || left_out == 0) return false;
            --left_out;
            return true;
        });
        lines.resize(std::min(lines.size(), room - 1));
        const std::size_t missing = all - lines.size();
        lines.push_back({{{fmt::format("... and {} lines more", missing), Tone::Faint}}, true});
        return all_of(std::move(lines));
    }

    store::ClientStore& store_;
    const int rows_;
    const bool utf8_;
    LastLines last_lines_;
    LiveFrame screen_;
};

/// Reports the beginning and end of each step once, in chronological order.
class LineJobView : public JobView {
public:
    LineJobView(const Io& io, store::ClientStore& store) : io_(io), store_(store) {}

    JobInfo show(const Uuid& job) override {
        const auto has_news = [&](const StepInfo& step) { return !told_to_end_.contains(step.child); };
        const JobTree tree =
            read_job_tree(store_, job, {.with_items = false, .wants_child = has_news, .last_lines = nullptr});
        changes_.clear();
        note_steps(tree, "", Timestamp{});
        std::stable_sort(changes_.begin(), changes_.end(),
                         [](const Change& left, const Change& right) { return left.at < right.at; });
        for (const Change& change : changes_) io_.err << visible_line(change.text) << '\n';
        tell_pause(tree.job);
        io_.err << std::flush;
        return tree.job;
    }

private:
    struct Change {
        Timestamp at = {};
        std::string text = {};
    };

    /// `begun` is the time when the parent step began. On PostgreSQL a child job may be marked as started a moment
    /// later than its first step, so the steps of a child are reported only after the beginning of the parent step.
    void note_steps(const JobTree& tree, const std::string& above, Timestamp begun) {
        for (const StepNode& node : tree.steps) {
            if (node.info.hook) continue;  // runs after the job's end, when this command may have exited
            const std::string path = above + node.info.name;
            note_beginning(tree, node.info, path, begun);
            if (node.child && (told_beginnings_.contains(path) || is_terminal(node.info.state)))
                note_steps(*node.child, path + "/", std::max(begun, node.info.started_at.value_or(begun)));
            note_end(node.info, path, begun);
        }
        if (is_terminal(tree.job.state)) told_to_end_.insert(tree.job.id);
    }

    void note_beginning(const JobTree& tree, const StepInfo& step, const std::string& path, Timestamp begun) {
        const bool has_begun = step.started_at && step.state != StepState::Ready && step.state != StepState::Waiting;
        if (!has_begun || !told_beginnings_.insert(path).second) return;
        std::string text = fmt::format("step {} is RUNNING", path);
        if (waits_for_approval(step))
            text += fmt::format(": {}; to decide: {} (or --reject)", step.message,
                                approve_command(tree.job.id, step.name));
        changes_.push_back({std::max(begun, *step.started_at), text});
    }

    void note_end(const StepInfo& step, const std::string& path, Timestamp begun) {
        if (!is_terminal(step.state) || !told_ends_.insert(path).second) return;
        std::string text = fmt::format("step {} is {}", path, to_text(step.state));
        const Timestamp at = step.finished_at.value_or(Timestamp{});
        if (step.started_at) text += fmt::format(" after {}", run_time(step.started_at, step.finished_at, at));
        if (step.items.total() > 0) text += fmt::format(" ({})", items_text(step.items));
        if (step.error) text += fmt::format(": {}", error_text(*step.error));
        changes_.push_back({std::max({begun, at, step.started_at.value_or(at)}), text});
    }

    void tell_pause(const JobInfo& job) {
        const bool is_paused = job.state == JobState::Paused;
        if (is_paused == was_paused_) return;
        was_paused_ = is_paused;
        if (is_paused)
            io_.err << fmt::format("job {0} is PAUSED; 'holdfast jobs resume {0}' lets it go on\n",
                                   job.id.to_string());
        else
            io_.err << fmt::format("job {} is {}\n", job.id.to_string(), to_text(job.state));
    }

    const Io& io_;
    store::ClientStore& store_;
    std::vector<Change> changes_;
    std::set<std::string> told_beginnings_, told_ends_;  // by path
    std::set<Uuid> told_to_end_;                         // jobs that have ended and were reported
    bool was_paused_ = false;
};

/// Creates a tree that is redrawn in place, on a terminal that supports it; otherwise one line for each change, on
/// the error stream, so that standard output contains only the job's output; no output with --json.
std::unique_ptr<JobView> make_job_view(const Session& session, store::ClientStore& store) {
    if (session.globals.json) return std::make_unique<SilentJobView>(store);
    const auto screen = screen_of(session.io);
    if (!screen || screen->rows < least_rows || screen->columns < least_columns)
        return std::make_unique<LineJobView>(session.io, store);
    return std::make_unique<LiveJobView>(session.io, store, *screen);
}

// ---- The end --------------------------------------------------------------------------------------

/// The result of following a job.
struct JobEnding {
    Uuid id = {};
    std::optional<JobInfo> job = {};  ///< nullopt: it has not ended yet
    bool interrupted = false;         ///< the person stopped watching; the job continues
};

std::string job_failure(const JobInfo& job) {
    std::string text = fmt::format("job {} is {}", job.id.to_string(), to_text(job.state));
    if (job.error) text += fmt::format(" with {}", error_text(*job.error));
    return text;
}

std::string what_to_do(const JobEnding& ending) {
    const std::string id = ending.id.to_string();
    if (ending.job)
        return fmt::format(
            "{}; 'holdfast jobs show {}' tells more, 'holdfast jobs retry {}' runs it again from there",
            visible_line(job_failure(*ending.job)), id, id);
    if (ending.interrupted)
        return fmt::format("job {} goes on; 'holdfast jobs wait {}' follows it, 'holdfast jobs cancel {}' ends it",
                           id, id, id);
    return fmt::format("job {} has not ended yet; 'holdfast jobs wait {}' goes on waiting", id, id);
}

bool is_completed(const JobEnding& ending) {
    return ending.job && ending.job->state == JobState::Completed;
}

JobEnding await_job(const Session& session, store::ClientStore& store, const Uuid& job,
                    std::optional<Duration> timeout) {
    LookPace pace(store);
    const auto view = make_job_view(session, store);
    const auto began = std::chrono::steady_clock::now();
    for (;;) {
        pace.begin();
        JobInfo seen = view->show(job);
        if (is_terminal(seen.state)) return {job, std::move(seen), false};
        if (SignalNotes::interrupted() || !session.io.out) return {job, std::nullopt, true};
        if (timeout && std::chrono::steady_clock::now() - began >= *timeout) return {job, std::nullopt, false};
        pace.rest();
    }
}

struct JobWait {
    std::string id;
    std::string timeout;
};

ExitCode wait_for_job(Session& session, const JobWait& command) {
    const auto timeout = read_duration_if_given("--timeout", command.timeout);
    const auto store = session.open_store(Access::AsItIs);
    const Uuid job = resolve_job(*store, command.id).id;
    return follow_job(session, SignalNotes(), *store, job, timeout, {{"id", job.to_string()}});
}

}  // namespace

ExitCode follow_job(const Session& session, const SignalNotes& /*signals*/, store::ClientStore& store,
                    const Uuid& job, std::optional<Duration> timeout, Json answer) {
    session.io.out.flush();
    const JobEnding ending = await_job(session, store, job, timeout);
    if (session.globals.json) {
        answer["timed_out"] = !ending.job && !ending.interrupted;
        answer["job"] = ending.job ? to_json_shape(*ending.job) : Json();
        session.print(answer);
    } else if (is_completed(ending)) {
        session.io.out << ending.job->output << '\n';
    } else {
        session.io.err << fmt::format("holdfast: {}\n", what_to_do(ending));
    }
    return is_completed(ending) ? ExitCode::Done : ExitCode::Failed;
}

void add_jobs_wait(Command& jobs) {
    auto [command, given] =
        jobs.add("wait", "Show a job's steps until it has ended; prints its output", wait_for_job);
    command.argument("ID", given.id, "Its id, or the beginning of it");
    command.text("--timeout", given.timeout, "DURATION", "Wait at most this long");
}

}  // namespace holdfast::cli
