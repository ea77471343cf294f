#include "cli/jobs/job_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "cli/tasks/timeline.h"
#include "cli/terminal/following.h"
#include "client/operations.h"

namespace holdfast::cli {

namespace {

// ---- Reading --------------------------------------------------------------------------------------

constexpr std::size_t most_items = 10;

/// Running and failed items get a line of their own; all others are only counted.
bool is_worth_a_line(const StepInfo& item) {
    return item.state == StepState::Running || item.state == StepState::Failed;
}

class TreeReader {
public:
    TreeReader(store::ClientStore& store, const ReadTreeParams& params) : store_(store), params_(params) {}

    [[nodiscard]] JobTree read(const Uuid& id) const {
        JobTree tree;
        tree.job = client::find_one_job(store_, id);
        for (StepInfo& info : store_.steps({.job = id, .with_items = params_.with_items, .step = {}})) {
            if (info.item < 0)
                tree.steps.push_back(node_of(std::move(info)));
            else
                add_item(tree.steps.back(), std::move(info));
        }
        tree.now = store_.now();
        return tree;
    }

private:
    [[nodiscard]] StepNode node_of(StepInfo info) const {
        StepNode node;
        const bool wants_line = params_.last_lines != nullptr && info.state == StepState::Running;
        if (wants_line && !info.task.is_nil()) node.last_line = params_.last_lines->of(info.task);
        if (params_.waits_for && info.state == StepState::Ready && !info.task.is_nil())
            node.waits_for = params_.waits_for(info.task);
        if (!info.child.is_nil() && params_.wants_child && params_.wants_child(info))
            node.child = std::make_shared<JobTree>(read(info.child));
        // The child is read a moment later. When its first step has begun in between, this step has begun as well.
        if (node.child && info.state == StepState::Ready && node.child->job.state != JobState::Pending)
            info.state = StepState::Running;
        node.info = std::move(info);
        return node;
    }

    void add_item(StepNode& step, StepInfo item) const {
        if (!is_worth_a_line(item)) return;
        if (step.items.size() < most_items)
            step.items.push_back(node_of(std::move(item)));
        else
            ++step.more_items;
    }

    store::ClientStore& store_;
    const ReadTreeParams& params_;
};

// ---- Drawing --------------------------------------------------------------------------------------

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
        const JobInfo& job = tree.job;
        const bool is_ending = job.cancel_requested && !is_terminal(job.state);
        const std::string remark = concat("job ", job.id.to_string(), is_ending ? ", cancel requested" : "");
        rows_.push_back({.name = {visible_line(job.workflow), Tone::Strong},
                         .state = state_cell(to_text(job.state)),
                         .time = run_time(job.started_at, job.finished_at, tree.now),
                         .remarks = {{remark, Tone::Faint}},
                         .is_busy = true});
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

    void add_steps(const JobTree& tree, const std::string& indent) {
        for (std::size_t i = 0; i < tree.steps.size(); ++i)
            add_step(tree, tree.steps[i], indent, i + 1 == tree.steps.size());
    }

    void add_step(const JobTree& tree, const StepNode& node, const std::string& indent, bool is_last) {
        const StepInfo& step = node.info;
        rows_.push_back({.branch = concat(indent, is_last ? branches_.last : branches_.middle),
                         .name = {visible_line(step.name)},
                         .state = state_cell(to_text(step.state)),
                         .time = run_time(step.started_at, step.finished_at, tree.now),
                         .remarks = remarks_on(tree, node),
                         .is_busy = is_worth_a_line(step)});
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
        rows_.push_back({.branch = branch, .name = {visible_line(text), tone}, .is_busy = true});
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

std::string LastLines::of(const Uuid& task) {
    Tail& tail = tails_[task];
    const auto read = [&](std::size_t limit) {
        return store_.read_logs({.task = task, .after_offset = tail.offset, .limit = limit});
    };
    read_pages(read, [&](const store::LogRecord& record) {
        read_on(tail, record.chunk.text);
        tail.offset = record.offset;
    });
    return tail.unfinished.empty() ? tail.line : tail.unfinished;
}

void LastLines::read_on(Tail& tail, const std::string& text) {
    constexpr std::size_t longest = 1000;
    for (const char c : text) {
        if (c != '\n') {
            if (tail.unfinished.size() < longest) tail.unfinished += c;
            continue;
        }
        if (!tail.unfinished.empty()) tail.line = std::exchange(tail.unfinished, {});
    }
}

JobTree read_job_tree(store::ClientStore& store, const Uuid& job, const ReadTreeParams& params) {
    return TreeReader(store, params).read(job);
}

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
