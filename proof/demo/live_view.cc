#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <ostream>

#include "base/text.h"
#include "cli/terminal/live_frame.h"
#include "proof/demo/view.h"

namespace holdfast::proof {

namespace {

using cli::Cell;
using cli::ViewLine;

constexpr int bar_columns = 25;  // half a column for each task
constexpr int most_facts = 24;

bool is_normal_life(const DemoFact& fact) {
    return fact.kind == "claimed" || fact.kind == "running" || fact.kind == "completed";
}

/// Shows the current state, and the last events below.
class LiveDemoView : public DemoView {
public:
    LiveDemoView(const Io& io, int rows, int columns)
        : io_(io), facts_shown_(std::min(most_facts, rows - 14)), utf8_(speaks_utf8(io)), screen_(io, columns) {}

    void tell(const DemoFact& fact, Duration at) override {
        if (fact.kind == "act") act_ = fact.text;
        if (is_normal_life(fact)) return;  // the workers' lines and the bars show it
        facts_.push_back({{demo_time(at), Tone::Faint}, {fact.text, fact.tone}});
        if (static_cast<int>(facts_.size()) > facts_shown_) facts_.pop_front();
    }

    void show(const DemoScene& scene, Duration at) override {
        frame_.clear();
        add_head(at);
        for (const DemoScene::Worker& worker : scene.workers) add_worker(worker);
        frame_.emplace_back();
        add_counts(scene.counts);
        frame_.emplace_back();
        for (const ViewLine& fact : facts_) frame_.push_back(fact);
        frame_.resize(frame_.size() + static_cast<std::size_t>(facts_shown_) - facts_.size());
        screen_.draw(frame_);
    }

    void close() override { screen_.close(); }

    void conclude(const DemoCount& count) override { print_demo_table(io_, count); }

private:
    void add_head(Duration at) {
        frame_.push_back({{"Holdfast demo", Tone::Strong}, {demo_time(at), Tone::Faint}, {act_, Tone::Strong}});
        frame_.emplace_back();
    }

    void add_worker(const DemoScene::Worker& worker) {
        frame_.push_back({{fmt::format("  {:<8}", worker.name), Tone::Strong},
                          {fmt::format("pid {:<8}", worker.pid), Tone::Faint},
                          {fmt::format("{:<28}", worker.state), worker.tone},
                          {join(worker.tasks, ", ")}});
    }

    void add_counts(const store::TaskCounts& counts) {
        add_bar("PENDING", counts.pending, Tone::Plain);
        add_bar("CLAIMED", counts.claimed, Tone::Busy);
        add_bar("RUNNING", counts.running, Tone::Busy);
        add_bar("COMPLETED", counts.completed, Tone::Good);
        add_bar("FAILED", counts.failed, Tone::Bad);
    }

    void add_bar(const char* state, std::int64_t count, Tone tone) {
        const auto full = std::clamp(static_cast<int>(count + 1) / 2, 0, bar_columns);
        ViewLine line{{fmt::format("  {:<10}", state)}};
        for (Cell& piece : bar(utf8_, bar_columns, full, tone)) line.push_back(std::move(piece));
        line.push_back({fmt::format(" {:>3}", count)});
        frame_.push_back(std::move(line));
    }

    const Io& io_;
    const int facts_shown_;
    const bool utf8_;
    std::string act_;
    std::deque<ViewLine> facts_;
    std::vector<ViewLine> frame_;
    cli::LiveFrame screen_;
};

}  // namespace

std::unique_ptr<DemoView> make_live_demo_view(const Io& io, int rows, int columns) {
    return std::make_unique<LiveDemoView>(io, rows, columns);
}

}  // namespace holdfast::proof
