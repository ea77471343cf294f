#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <ostream>

#include "base/text.h"
#include "cli/demo_view.h"
#include "cli/words.h"

namespace holdfast::cli {

namespace {

/// A line is made of pieces, so that it can be cut to the terminal's width without cutting an escape sequence.
using Line = std::vector<Cell>;

constexpr int bar_columns = 25;  // half a column for each of the fifty
constexpr int most_facts = 24;

bool speaks_utf8(const Io& io) {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const auto found = io.environment.find(name);
        if (found == io.environment.end() || found->second.empty()) continue;
        const std::string locale = lower_case(found->second);
        return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
    }
    return false;
}

bool is_normal_life(const DemoFact& fact) {
    return fact.kind == "claimed" || fact.kind == "running" || fact.kind == "completed";
}

/// At most `columns` characters of the text, and how many there were.
std::string cut(const std::string& text, int& columns) {
    std::size_t end = 0;
    while (end < text.size() && columns > 0) {
        ++end;
        while (end < text.size() && (text[end] & 0xC0) == 0x80) ++end;
        --columns;
    }
    return text.substr(0, end);
}

/// Redraws its frame in place, in one write: what does not change does not flicker.
class LiveDemoView : public DemoView {
public:
    LiveDemoView(const Io& io, int rows, int columns)
        : io_(io), columns_(columns - 1), facts_shown_(std::min(most_facts, rows - 14)), utf8_(speaks_utf8(io)) {
        io_.out << "\033[?25l" << std::flush;  // the cursor would jump about
    }
    ~LiveDemoView() override { LiveDemoView::close(); }

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
        for (const Line& fact : facts_) frame_.push_back(fact);
        frame_.resize(frame_.size() + static_cast<std::size_t>(facts_shown_) - facts_.size());
        draw();
    }

    void close() override {
        if (!is_open_) return;
        is_open_ = false;
        io_.out << "\033[?25h" << std::flush;
    }

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
        std::string bar;
        for (int i = 0; i < full; ++i) bar += utf8_ ? "█" : "#";
        std::string rest;
        for (int i = full; i < bar_columns; ++i) rest += utf8_ ? "░" : ".";
        frame_.push_back(
            {{fmt::format("  {:<10}", state)}, {bar, tone}, {rest, Tone::Faint}, {fmt::format(" {:>3}", count)}});
    }

    void draw() {
        std::string text = drawn_ > 0 ? fmt::format("\033[{}A", drawn_) : "";
        for (const Line& line : frame_) {
            int room = columns_;
            for (const Cell& piece : line) text += paint(io_, piece.tone, cut(piece.text, room));
            text += "\033[K\n";
        }
        io_.out << text << std::flush;
        drawn_ = frame_.size();
    }

    const Io& io_;
    const int columns_;
    const int facts_shown_;
    const bool utf8_;
    bool is_open_ = true;
    std::string act_;
    std::deque<Line> facts_;
    std::vector<Line> frame_;
    std::size_t drawn_ = 0;
};

}  // namespace

std::unique_ptr<DemoView> make_live_demo_view(const Io& io, int rows, int columns) {
    return std::make_unique<LiveDemoView>(io, rows, columns);
}

}  // namespace holdfast::cli
