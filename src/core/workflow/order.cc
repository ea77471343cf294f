#include "core/workflow/order.h"

#include <algorithm>
#include <cstdint>

namespace holdfast::core {

StepOrder::StepOrder(const Workflow& workflow)
    : dependencies_(workflow.steps.size()),
      dependents_(workflow.steps.size()),
      is_sorted_(workflow.steps.size(), false) {
    numbers_.reserve(workflow.steps.size());
    for (const WorkflowStep& step : workflow.steps)
        numbers_.emplace(step.name, static_cast<int>(&step - workflow.steps.data()));
    note_dependencies(workflow);
    sort();
}

const int* StepOrder::find(std::string_view name) const {
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? nullptr : &found->second;
}

void StepOrder::note_dependencies(const Workflow& workflow) {
    for (std::size_t step = 0; step < workflow.steps.size(); ++step) {
        std::vector<int>& mine = dependencies_[step];
        for (const std::string& name : workflow.steps[step].depends_on)
            if (const int* number = find(name)) mine.push_back(*number);
        std::sort(mine.begin(), mine.end());
        mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
        for (const int dependency : mine) dependents_[index(dependency)].push_back(static_cast<int>(step));
    }
}

void StepOrder::sort() {
    std::vector<std::size_t> open;
    for (const auto& mine : dependencies_) {
        if (mine.empty()) sorted_.push_back(static_cast<int>(open.size()));
        open.push_back(mine.size());
    }
    for (std::size_t next = 0; next < sorted_.size(); ++next) {
        is_sorted_[index(sorted_[next])] = true;
        for (const int dependent : dependents(sorted_[next]))
            if (--open[index(dependent)] == 0) sorted_.push_back(dependent);
    }
}

/// Returns the first unsorted dependency of the step. An unsorted step has at least one.
int StepOrder::open_dependency(int step) const {
    const auto& mine = dependencies(step);
    return *std::find_if(mine.begin(), mine.end(), [&](int dependency) { return !is_sorted(dependency); });
}

std::vector<std::vector<int>> StepOrder::cycles() const {
    std::vector<std::vector<int>> found;
    std::vector<int> walk_of(dependencies_.size(), -1);  // the walk that visited each step
    for (int start = 0; start < static_cast<int>(dependencies_.size()); ++start) {
        if (is_sorted(start)) continue;
        std::vector<int> path;
        int at = start;
        for (; walk_of[index(at)] == -1; at = open_dependency(at)) {
            walk_of[index(at)] = start;
            path.push_back(at);
        }
        if (walk_of[index(at)] != start) continue;  // it leads into a cycle that was found before
        path.erase(path.begin(), std::find(path.begin(), path.end(), at));
        std::rotate(path.begin(), std::min_element(path.begin(), path.end()), path.end());
        found.push_back(std::move(path));
    }
    return found;
}

namespace {

/// Propagates up to 64 steps at a time: one bit for each, carried from dependencies to dependents in one pass over
/// the order.
class Tide {
public:
    static constexpr std::size_t width = 64;

    explicit Tide(const StepOrder& order) : order_(order), own_(order.size(), 0), upstream_(order.size(), 0) {}

    void add_source(int step) {
        if (std::uint64_t& bit = own_[static_cast<std::size_t>(step)]; bit == 0) bit = std::uint64_t{1} << sources_++;
    }

    void run() {
        for (const int step : order_.sorted()) {
            std::uint64_t bits = 0;
            for (const int dependency : order_.dependencies(step)) {
                const auto at = static_cast<std::size_t>(dependency);
                bits |= own_[at] | upstream_[at];
            }
            upstream_[static_cast<std::size_t>(step)] = bits;
        }
    }

    [[nodiscard]] bool reaches(const UpstreamQuestion& question) const {
        const std::uint64_t wanted = own_[static_cast<std::size_t>(question.upstream)];
        return (upstream_[static_cast<std::size_t>(question.step)] & wanted) != 0;
    }

private:
    const StepOrder& order_;
    std::vector<std::uint64_t> own_;
    std::vector<std::uint64_t> upstream_;
    unsigned sources_ = 0;
};

/// The end of the questions that one pass can answer. A pass has one bit for each distinct upstream step.
std::size_t end_of_pass(const std::vector<UpstreamQuestion>& questions, const std::vector<std::size_t>& open,
                        std::size_t begin) {
    std::size_t sources = 1;
    for (std::size_t end = begin + 1; end < open.size(); ++end)
        if (questions[open[end]].upstream != questions[open[end - 1]].upstream && ++sources > Tide::width) return end;
    return open.size();
}

bool is_direct(const StepOrder& order, const UpstreamQuestion& question) {
    const auto& mine = order.dependencies(question.step);
    return std::binary_search(mine.begin(), mine.end(), question.upstream);
}

bool is_settled(const StepOrder& order, const UpstreamQuestion& question) {
    return !order.is_sorted(question.step) || !order.is_sorted(question.upstream) || is_direct(order, question);
}

}  // namespace

std::vector<bool> not_upstream(const StepOrder& order, const std::vector<UpstreamQuestion>& questions) {
    std::vector<std::size_t> open;  // questions that the direct dependencies do not answer
    for (std::size_t i = 0; i < questions.size(); ++i)
        if (!is_settled(order, questions[i])) open.push_back(i);
    std::sort(open.begin(), open.end(), [&](std::size_t left, std::size_t right) {
        return questions[left].upstream < questions[right].upstream;
    });

    std::vector<bool> refused(questions.size(), false);
    for (std::size_t begin = 0; begin < open.size();) {
        const std::size_t end = end_of_pass(questions, open, begin);
        Tide tide(order);
        for (std::size_t i = begin; i < end; ++i) tide.add_source(questions[open[i]].upstream);
        tide.run();
        for (std::size_t i = begin; i < end; ++i) refused[open[i]] = !tide.reaches(questions[open[i]]);
        begin = end;
    }
    return refused;
}

}  // namespace holdfast::core
