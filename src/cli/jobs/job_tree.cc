#include "cli/jobs/job_tree.h"
#include "client/operations.h"

#include <utility>

namespace holdfast::cli {

namespace {

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

}  // namespace

std::string LastLines::of(const Uuid& task) {
    constexpr std::size_t page_size = 1000;
    Tail& tail = tails_[task];
    for (;;) {
        const auto page = store_.read_logs({.task = task, .after_offset = tail.offset, .limit = page_size});
        for (const auto& record : page) read_on(tail, record.chunk.text);
        if (!page.empty()) tail.offset = page.back().offset;
        if (page.size() < page_size) return tail.unfinished.empty() ? tail.line : tail.unfinished;
    }
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

}  // namespace holdfast::cli
