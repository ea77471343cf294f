#include "cli/jobs/step_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/assert.h"
#include "base/text.h"
#include "cli/tasks/timeline.h"

namespace holdfast::cli {

namespace {

constexpr int bar_columns = 10;

/// The characters that draw a tree.
struct Branches {
    std::string_view middle, last, passing, under_last;
};
constexpr Branches plain_branches{"|- ", "`- ", "|  ", "   "};
constexpr Branches fine_branches{"├─ ", "└─ ", "│  ", "   "};

/// A line as columns, before they are aligned.
struct TreeRow {
    std::string branch = {};
    Cell name = {};
    Cell state = {};
    std::string time = {};
    ViewLine remarks = {};
    bool is_busy = false;
};

void pad(std::string& text, std::size_t columns) {
    text.append(columns - std::min(columns, columns_of(text)), ' ');
}

class TreeDrawer {
public:
    explicit TreeDrawer(bool utf8) : utf8_(utf8), branches_(utf8 ? fine_branches : plain_branches) {}

    void add_root(const JobTree& tree) {
        TreeRow row;
        row.name = {visible_line(tree.job.workflow), Tone::Strong};
        describe_job(row, tree);
        rows_.push_back(std::move(row));
        add_steps(tree, "");
    }

    [[nodiscard]] std::vector<TreeLine> lines() && {
        std::size_t names = 0, states = 0, times = 0;
        for (const TreeRow& row : rows_) {
            if (is_note(row)) continue;
            names = std::max(names, columns_of(row.branch) + columns_of(row.name.text));
            states = std::max(states, columns_of(row.state.text));
            times = std::max(times, columns_of(row.time));
        }
        std::vector<TreeLine> lines;
        for (TreeRow& row : rows_) lines.push_back(line_of(row, names, states, times));
        return lines;
    }

private:
    /// Whether the row is a note below a step, without columns.
    static bool is_note(const TreeRow& row) { return row.state.text.empty(); }

    static TreeLine line_of(TreeRow& row, std::size_t names, std::size_t states, std::size_t times) {
        if (!is_note(row)) {
            pad(row.name.text, names - columns_of(row.branch));
            const bool goes_on = !row.remarks.empty() || !row.time.empty();
            if (goes_on) pad(row.state.text, states + 2);
            if (!row.remarks.empty()) pad(row.time, times + 2);
        }
        TreeLine line;
        line.is_busy = row.is_busy;
        line.pieces = {{row.branch, Tone::Faint}, row.name};
        if (!is_note(row)) {
            line.pieces.push_back({"  "});
            line.pieces.push_back(row.state);
            line.pieces.push_back({row.time});
        }
        line.pieces.insert(line.pieces.end(), row.remarks.begin(), row.remarks.end());
        return line;
    }

    static void describe_job(TreeRow& row, const JobTree& tree) {
        const JobInfo& job = tree.job;
        row.state = {std::string(to_text(job.state)), tone_of(job.state)};
        row.time = run_time(job.started_at, job.finished_at, tree.now);
        row.is_busy = true;
        std::string remark = fmt::format("job {}", job.id.to_string());
        if (job.cancel_requested && !is_terminal(job.state)) remark += ", cancel requested";
        row.remarks.push_back({remark, Tone::Faint});
    }

    void add_steps(const JobTree& tree, const std::string& indent) {
        for (std::size_t i = 0; i < tree.steps.size(); ++i)
            add_step(tree, tree.steps[i], indent, i + 1 == tree.steps.size());
    }

    void add_step(const JobTree& tree, const StepNode& node, const std::string& indent, bool is_last) {
        TreeRow row;
        row.branch = concat(indent, is_last ? branches_.last : branches_.middle);
        row.name = {visible_line(node.info.name)};
        row.state = {std::string(to_text(node.info.state)), tone_of(node.info.state)};
        row.time = run_time(node.info.started_at, node.info.finished_at, tree.now);
        row.remarks = remarks_on(tree, node);
        row.is_busy = node.info.state == StepState::Running || node.info.state == StepState::Failed;
        rows_.push_back(std::move(row));
        add_below(tree, node, concat(indent, is_last ? branches_.under_last : branches_.passing));
    }

    void add_below(const JobTree& tree, const StepNode& node, const std::string& indent) {
        if (waits_for_approval(node.info)) {
            const std::string command = approve_command(tree.job.id, node.info.name);
            add_note(indent, fmt::format("to decide: {}  (or --reject)", command), Tone::Strong);
        }
        if (node.child) add_steps(*node.child, indent);
        for (std::size_t i = 0; i < node.items.size(); ++i)
            add_step(tree, node.items[i], indent, i + 1 == node.items.size() && node.more_items == 0);
        if (node.more_items > 0)
            add_note(concat(indent, branches_.last), fmt::format("and {} more", node.more_items), Tone::Faint);
    }

    void add_note(const std::string& branch, const std::string& text, Tone tone) {
        TreeRow row;
        row.branch = branch;
        row.name = {visible_line(text), tone};
        row.is_busy = true;
        rows_.push_back(std::move(row));
    }

    [[nodiscard]] ViewLine remarks_on(const JobTree& tree, const StepNode& node) const {
        const StepInfo& step = node.info;
        ViewLine remarks;
        const auto say = [&](const std::string& text, Tone tone) {
            if (text.empty()) return;
            if (!remarks.empty()) remarks.push_back({"; "});
            remarks.push_back({visible_line(text), tone});
        };
        if (step.hook) say("hook", Tone::Faint);
        if (step.items.total() > 0) say(items_text(step.items), Tone::Plain);
        if (step.attempts > 1) say(fmt::format("attempt {}", step.attempts), Tone::Plain);
        if (!step.child.is_nil()) say(fmt::format("job {}", step.child.to_string()), Tone::Faint);
        if (step.state == StepState::Running) add_activity(tree, node, remarks);
        if (step.state == StepState::Ready && !step.task.is_nil())
            say(tree.job.state == JobState::Paused ? "the job is paused"
                : node.waits_for.empty()           ? "waits for a worker"
                                                   : node.waits_for,
                Tone::Faint);
        if (step.error) say(error_text(*step.error), step.state == StepState::Failed ? Tone::Bad : Tone::Faint);
        return remarks;
    }

    void add_activity(const JobTree& tree, const StepNode& node, ViewLine& remarks) const {
        const StepInfo& step = node.info;
        if (step.progress) add_progress(*step.progress, remarks);
        std::string text;
        if (step.kind == "approval" && !step.message.empty()) text = step.message;
        if (step.wakes_at)
            text += fmt::format("{}{} {} (in {})", text.empty() ? "" : ", ",
                                step.kind == "approval" ? "times out" : "until", format_timestamp(*step.wakes_at),
                                rough_duration(std::max(*step.wakes_at - tree.now, Duration::zero())));
        if (text.empty()) text = node.last_line;
        if (text.empty()) return;
        if (!remarks.empty()) remarks.push_back({"  "});
        remarks.push_back({visible_line(text), Tone::Faint});
    }

    void add_progress(const Progress& progress, ViewLine& remarks) const {
        const double fraction = std::clamp(progress.fraction, 0.0, 1.0);
        if (!remarks.empty()) remarks.push_back({"  "});
        for (Cell& piece : bar(utf8_, bar_columns, static_cast<int>(std::floor(fraction * bar_columns)), Tone::Busy))
            remarks.push_back(std::move(piece));
        remarks.push_back({fmt::format(" {:.0f}%", std::floor(fraction * 100))});
        if (!progress.text.empty()) remarks.push_back({" " + visible_line(progress.text)});
    }

    const bool utf8_;
    const Branches& branches_;
    std::vector<TreeRow> rows_;
};

}  // namespace

std::vector<TreeLine> tree_lines(const JobTree& tree, bool utf8) {
    TreeDrawer drawer(utf8);
    drawer.add_root(tree);
    return std::move(drawer).lines();
}

void print_tree(const Io& io, const JobTree& tree) {
    for (const TreeLine& line : tree_lines(tree, io.terminal && speaks_utf8(io))) {
        for (const Cell& piece : line.pieces) io.out << paint(io, piece.tone, piece.text);
        io.out << '\n';
    }
}

Tone tone_of(JobState state) {
    switch (state) {
        case JobState::Pending:
            return Tone::Plain;
        case JobState::Running:
            return Tone::Busy;
        case JobState::Paused:
            return Tone::Strong;
        case JobState::Completed:
            return Tone::Good;
        case JobState::Failed:
            return Tone::Bad;
        case JobState::Cancelled:
            return Tone::Faint;
    }
    HOLDFAST_ASSERT(false);
}

Tone tone_of(StepState state) {
    switch (state) {
        case StepState::Waiting:
        case StepState::Ready:
            return Tone::Plain;
        case StepState::Running:
            return Tone::Busy;
        case StepState::Completed:
            return Tone::Good;
        case StepState::Failed:
            return Tone::Bad;
        case StepState::Skipped:
        case StepState::Cancelled:
            return Tone::Faint;
    }
    HOLDFAST_ASSERT(false);
}

std::string items_text(const StepCounts& items) {
    std::vector<std::string> parts{fmt::format("{} of {} COMPLETED", items.completed, items.total())};
    const auto add = [&](int count, StepState state) {
        if (count > 0) parts.push_back(fmt::format("{} {}", count, to_text(state)));
    };
    add(items.running, StepState::Running);
    add(items.failed, StepState::Failed);
    add(items.skipped, StepState::Skipped);
    add(items.cancelled, StepState::Cancelled);
    return join(parts, ", ");
}

std::string run_time(const std::optional<Timestamp>& started, const std::optional<Timestamp>& finished,
                     Timestamp now) {
    if (!started) return "";
    return rough_duration(std::max(finished.value_or(now) - *started, Duration::zero()));
}

std::string approve_command(const Uuid& job, const std::string& step) {
    return fmt::format("holdfast jobs approve {} {}", job.to_string(), step);
}

bool waits_for_approval(const StepInfo& step) {
    return step.kind == "approval" && step.state == StepState::Running && step.items.total() == 0;
}

}  // namespace holdfast::cli
