#include "proof/chaos/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "proof/chaos/figures.h"

namespace holdfast::chaos {

namespace {

constexpr double picture_width = 1200, left = 176, right = 30, top = 74, curve_height = 250, lane_height = 24;
constexpr double most_steps = 500;

struct Lane {
    std::string_view label;
    std::string_view colour;
    std::vector<FaultKind> kinds;
};

const std::vector<Lane>& lanes() {
    static const std::vector<Lane> all = {
        {"kill -9 worker", "#b3261e", {FaultKind::KillWorker}},
        {"kill -9 runner, keeper", "#d9663b", {FaultKind::KillRunner, FaultKind::KillKeeper}},
        {"kill -9 server", "#8e3b8e", {FaultKind::KillServer}},
        {"stop and continue", "#6a4fb3", {FaultKind::StopWorker, FaultKind::StopRunner, FaultKind::StopServer}},
        {"drain", "#2e7d4f", {FaultKind::DrainWorker, FaultKind::DrainServer}},
        {"network", "#1f6f9f", {FaultKind::CutPath, FaultKind::ResetPath, FaultKind::RefusePath}},
        {"PostgreSQL down",
         "#14507a",
         {FaultKind::RestartFast, FaultKind::RestartImmediate, FaultKind::KillPostmaster}},
        {"primary killed", "#14507a", {FaultKind::PromoteStandby}},
        {"primary frozen", "#1f6f9f", {FaultKind::FreezePrimary}},
        {"zombie primary", "#6a4fb3", {FaultKind::ZombiePrimary}},
        {"standbys gone", "#2e7d4f", {FaultKind::LoseStandby}},
        {"history lost", "#b3261e", {FaultKind::AsyncCut, FaultKind::RestoreBackup}},
        {"disk full", "#8a6d00", {FaultKind::FillDisk}},
        {"processor busy", "#666666", {FaultKind::BurnCpu}},
    };
    return all;
}

std::string escaped(std::string_view text) {
    std::string made;
    for (const char each : text) {
        if (each == '<')
            made += "&lt;";
        else if (each == '&')
            made += "&amp;";
        else if (each == '"')
            made += "&quot;";
        else
            made += each;
    }
    return made;
}

/// A round number near a quarter of `most`.
double tick_step(double most) {
    const double rough = std::max(most / 4, 1e-9);
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= rough) return factor * power;
    return 10 * power;
}

double seconds(Duration length) {
    return std::chrono::duration<double>(length).count();
}

std::string time_label(double at) {
    const auto whole = static_cast<int>(std::lround(at));
    return whole < 120 ? fmt::format("{} s", whole) : fmt::format("{}:{:02}", whole / 60, whole % 60);
}

/// The seconds between two marks: at most a dozen in a plot of this length.
double time_step(double length) {
    for (const double step : {1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0})
        if (length / step <= 12) return step;
    return 7200;
}

class Picture {
public:
    explicit Picture(const Timeline& timeline) : timeline_(timeline) {
        for (const Lane& lane : lanes())
            if (std::ranges::any_of(timeline.blows, [&](const Blow& blow) { return is_in(lane, blow); }))
                lanes_.push_back(&lane);
        for (const std::size_t each : timeline.ends)
            most_ = std::max(most_, static_cast<double>(each) / seconds(timeline.width));
    }

    std::string draw() {
        const double height = lanes_top() + static_cast<double>(lanes_.size()) * lane_height + 44;
        text_ = fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
            "{1:.0f}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#222222\">\n"
            "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
            "<text x=\"{2:.0f}\" y=\"30\" font-size=\"19\" font-weight=\"bold\">{3}</text>\n"
            "<text x=\"{2:.0f}\" y=\"52\" fill=\"#555555\">{4}</text>\n",
            picture_width, height, left, escaped(timeline_.title), escaped(timeline_.subtitle));
        draw_peace();
        draw_grid(height);
        draw_curve();
        for (std::size_t i = 0; i < lanes_.size(); ++i) draw_lane(i);
        text_ += "</svg>\n";
        return std::move(text_);
    }

private:
    static bool is_in(const Lane& lane, const Blow& blow) { return std::ranges::count(lane.kinds, blow.kind) > 0; }
    static double lanes_top() { return top + curve_height + 34; }

    [[nodiscard]] double x_of(Timestamp at) const {
        const double share =
            seconds(at - timeline_.began) / std::max(seconds(timeline_.ended - timeline_.began), 1e-6);
        return left + std::clamp(share, 0.0, 1.0) * (picture_width - left - right);
    }
    [[nodiscard]] double y_of(double rate) const {
        return top + curve_height * (1 - rate / std::max(most_ * 1.05, 1.0));
    }

    /// Shades the time after the last fault.
    void draw_peace() {
        const double from = x_of(timeline_.faults_ended);
        text_ +=
            fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"#eef5ee\"/>\n",
                        from, top, picture_width - right - from, curve_height);
    }

    void draw_grid(double height) {
        const double step = tick_step(std::max(most_, 1.0));
        for (int tick = 0; tick * step <= most_ * 1.05; ++tick) {
            const double rate = tick * step;
            text_ += fmt::format(
                "<line x1=\"{0:.0f}\" x2=\"{1:.0f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#dddddd\"/>"
                "<text x=\"{3:.0f}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:g}</text>\n",
                left, picture_width - right, y_of(rate), left - 8, y_of(rate) + 4, rate);
        }
        text_ += fmt::format(
            "<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"end\" fill=\"#555555\">tasks ended</text>"
            "<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"end\" fill=\"#555555\">per second</text>\n",
            left - 44, top + curve_height / 2 - 4, left - 44, top + curve_height / 2 + 12);
        const double length = seconds(timeline_.ended - timeline_.began);
        for (int tick = 0; tick * time_step(length) <= length; ++tick) {
            const double at = tick * time_step(length);
            const double x = x_of(timeline_.began + Duration(static_cast<std::int64_t>(at * 1e6)));
            text_ += fmt::format(
                "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.0f}\" y2=\"{2:.0f}\" stroke=\"#eeeeee\"/>"
                "<text x=\"{0:.1f}\" y=\"{3:.0f}\" text-anchor=\"middle\">{4}</text>\n",
                x, top, height - 38, height - 20, time_label(at));
        }
    }

    void draw_curve() {
        if (timeline_.ends.empty()) return;
        std::string points;
        for (std::size_t i = 0; i < timeline_.ends.size(); ++i) {
            const double rate = static_cast<double>(timeline_.ends[i]) / seconds(timeline_.width);
            const Timestamp from = timeline_.began + static_cast<std::int64_t>(i) * timeline_.width;
            points += fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} ", x_of(from), y_of(rate),
                                  x_of(from + timeline_.width), y_of(rate));
        }
        text_ += fmt::format(
            "<polygon points=\"{0:.1f},{1:.1f} {2}{3:.1f},{1:.1f}\" fill=\"#bcd6ec\" fill-opacity=\"0.7\"/>\n"
            "<polyline points=\"{2}\" fill=\"none\" stroke=\"#1b5e92\" stroke-width=\"1.2\"/>\n",
            left, y_of(0), points, x_of(timeline_.ended));
    }

    void draw_lane(std::size_t number) {
        const Lane& lane = *lanes_[number];
        const double y = lanes_top() + static_cast<double>(number) * lane_height;
        const auto count =
            std::ranges::count_if(timeline_.blows, [&](const Blow& blow) { return is_in(lane, blow); });
        text_ += fmt::format(
            "<text x=\"{:.0f}\" y=\"{:.1f}\" text-anchor=\"end\" font-size=\"12\">{} ({})</text>"
            "<line x1=\"{:.0f}\" x2=\"{:.0f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#e4e4e4\"/>\n",
            left - 8, y + lane_height / 2 + 4, lane.label, count, left, picture_width - right, y + lane_height / 2,
            y + lane_height / 2);
        for (const Blow& blow : timeline_.blows)
            if (is_in(lane, blow)) draw_mark(blow, lane, y);
    }

    void draw_mark(const Blow& blow, const Lane& lane, double y) {
        const double from = x_of(blow.at);
        const double width = std::max(x_of(blow.at + blow.length) - from, 2.5);
        text_ += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" fill-opacity=\"0.8\">"
            "<title>{} {}</title></rect>\n",
            from, y + 4, width, lane_height - 8, lane.colour, to_text(blow.kind), escaped(blow.whom));
    }

    const Timeline& timeline_;
    std::vector<const Lane*> lanes_;
    double most_ = 0;
    std::string text_;
};

}  // namespace

Timeline timeline_of(const Findings& findings, std::string title, std::string subtitle) {
    Timeline timeline{.title = std::move(title),
                      .subtitle = std::move(subtitle),
                      .began = findings.began,
                      .faults_ended = findings.faults_ended,
                      .ended = findings.settled_at.value_or(findings.faults_ended + findings.settle_bound),
                      .blows = findings.blows};
    const double length = seconds(timeline.ended - timeline.began);
    timeline.width = std::chrono::seconds(static_cast<std::int64_t>(std::ceil(std::max(length / most_steps, 1.0))));
    timeline.ends = ends_over_time(findings.tasks, timeline.began, timeline.ended, timeline.width);
    return timeline;
}

std::string draw(const Timeline& timeline) {
    return Picture(timeline).draw();
}

}  // namespace holdfast::chaos
