#include "cli/terminal/live_frame.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"

namespace holdfast::cli {

namespace {

bool can_move_the_cursor(const Io& io) {
    const std::string term = io.variable("TERM");
    return !term.empty() && term != "dumb";
}

/// Returns at most `columns` characters of the text, and subtracts their number from `columns`.
std::string take(const std::string& text, int& columns) {
    std::size_t end = 0;
    while (end < text.size() && columns > 0) {
        ++end;
        while (end < text.size() && (text[end] & 0xC0) == 0x80) ++end;
        --columns;
    }
    return text.substr(0, end);
}

std::string repeated(std::string_view text, int times) {
    std::string line;
    for (int i = 0; i < times; ++i) line += text;
    return line;
}

}  // namespace

std::optional<ScreenSize> screen_of(const Io& io) {
    winsize size{};
    if (!io.terminal || !can_move_the_cursor(io) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return std::nullopt;
    return ScreenSize{size.ws_row, size.ws_col};
}

bool speaks_utf8(const Io& io) {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const std::string locale = lower_case(io.variable(name));
        if (!locale.empty()) return locale.contains("utf-8") || locale.contains("utf8");
    }
    return false;
}

ViewLine bar(bool utf8, int columns, int full, Tone tone) {
    return {{repeated(utf8 ? "█" : "#", full), tone}, {repeated(utf8 ? "░" : ".", columns - full), Tone::Faint}};
}

LiveFrame::LiveFrame(const Io& io, int columns) : io_(io), columns_(columns - 1) {
    io_.out << own_escape << "[?25l" << std::flush;
}

void LiveFrame::draw(const std::vector<ViewLine>& lines) {
    std::string text = drawn_ > 0 ? fmt::format("{}[{}A", own_escape, drawn_) : "";
    for (const ViewLine& line : lines) {
        int room = columns_;
        for (const Cell& piece : line) text += paint(io_, piece.tone, take(visible_line(piece.text), room));
        text += fmt::format("{}[K\n", own_escape);
    }
    if (lines.size() < drawn_) text += fmt::format("{}[J", own_escape);
    io_.out << text << std::flush;
    drawn_ = lines.size();
}

void LiveFrame::close() {
    if (!is_open_) return;
    is_open_ = false;
    io_.out << own_escape << "[?25h" << std::flush;
}

}  // namespace holdfast::cli
