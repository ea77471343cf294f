#include "cli/terminal/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/text.h"
#include "cli/terminal/live_frame.h"

namespace holdfast::cli {

namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t least_shortened = 8;  // a shorter beginning tells nothing

using Widths = std::vector<std::size_t>;

// ---- Ids ------------------------------------------------------------------------------------------

// Ids of the seventh version begin with their millisecond: 8 digits, a dash, 4 digits. Others begin with chance.
constexpr std::size_t version_place = 14;
constexpr std::size_t moment_digits = 13;
constexpr std::size_t least_digits = 8;

std::size_t least_length(const std::string& id) {
    const bool begins_with_moment = id.size() > version_place && id[version_place] == '7';
    return begins_with_moment ? moment_digits : least_digits;
}

std::size_t common_length(const std::string& one, const std::string& other) {
    return static_cast<std::size_t>(std::ranges::mismatch(one, other).in1 - one.begin());
}

std::string beginning_of(const std::string& id, std::size_t length) {
    if (length < id.size() && id[length - 1] == '-') ++length;  // one digit more instead of a dash at the end
    return id.substr(0, length);
}

// ---- Room -----------------------------------------------------------------------------------------

void leave_out_wide_columns(std::vector<Column>& columns, std::vector<Row>& rows) {
    for (std::size_t i = columns.size(); i-- > 0;) {
        if (columns[i].room != Column::Room::WideOnly) continue;
        columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(i));
        for (Row& row : rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

void shorten_ids(std::vector<Row>& rows, std::size_t column) {
    std::vector<std::string> ids;
    for (const Row& row : rows)
        if (row[column].is_id) ids.push_back(row[column].text);
    const auto shortened = short_ids(ids);
    auto next = shortened.begin();
    for (Row& row : rows)
        if (row[column].is_id) row[column].text = *next++;
}

void take_brief_texts(std::vector<Row>& rows) {
    for (Row& row : rows)
        for (Cell& cell : row)
            if (!cell.brief.empty()) cell.text = cell.brief;
}

Widths widths_of(const std::vector<Column>& columns, const std::vector<Row>& rows) {
    Widths widths;
    for (const Column& column : columns) widths.push_back(columns_of(column.heading));
    for (const Row& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i].text));
    return widths;
}

std::size_t line_width(const Widths& widths) {
    std::size_t sum = gap * (widths.size() - 1);
    for (const std::size_t width : widths) sum += width;
    return sum;
}

/// Takes from the widest column that may be shortened until a line fits, or nothing more can be taken.
Widths fitted(const std::vector<Column>& columns, Widths widths, std::size_t room) {
    while (line_width(widths) > room) {
        std::size_t* widest = nullptr;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const std::size_t least = std::max(least_shortened, columns_of(columns[i].heading));
            if (columns[i].room == Column::Room::Shortened && widths[i] > least &&
                (widest == nullptr || widths[i] > *widest))
                widest = &widths[i];
        }
        if (widest == nullptr) break;
        --*widest;
    }
    return widths;
}

std::string cut(const std::string& text, std::size_t width, std::string_view mark) {
    if (columns_of(text) <= width) return text;
    std::string beginning;
    for (std::size_t i = 0, columns = 0; i < text.size(); ++i) {
        const bool begins_character = (text[i] & 0xC0) != 0x80;
        if (begins_character && ++columns > width - columns_of(mark)) break;
        beginning += text[i];
    }
    return beginning.append(mark);
}

// ---- Lines ----------------------------------------------------------------------------------------

void print_row(const Io& io, const Row& row, const Widths& widths) {
    const std::string_view mark = speaks_utf8(io) ? "…" : "..";
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string text = cut(row[i].text, widths[i], mark);
        line += paint(io, row[i].tone, text);
        if (i + 1 < row.size()) line += std::string(widths[i] - columns_of(text) + gap, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    io.out << line << '\n';
}

}  // namespace

Cell id_cell(const Uuid& id, Tone tone) {
    return {.text = id.to_string(), .tone = tone, .is_id = true};
}

Cell moment_cell(Timestamp moment, Timestamp now, Tone tone) {
    return {.text = format_timestamp(std::chrono::floor<std::chrono::seconds>(moment)),
            .tone = tone,
            .brief = distance_text(moment, now)};
}

std::string distance_text(Timestamp moment, Timestamp now) {
    using namespace std::chrono_literals;
    using std::chrono::floor;
    const Duration distance = moment < now ? now - moment : moment - now;
    std::string text;
    if (distance < 1min)
        text = fmt::format("{}s", floor<std::chrono::seconds>(distance).count());
    else if (distance < 1h)
        text = fmt::format("{}m", floor<std::chrono::minutes>(distance).count());
    else if (distance < std::chrono::days(2))
        text = fmt::format("{}h", floor<std::chrono::hours>(distance).count());
    else
        text = fmt::format("{}d", floor<std::chrono::days>(distance).count());
    return moment > now ? "in " + text : text + " ago";
}

std::size_t columns_of(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::vector<std::string> short_ids(const std::vector<std::string>& ids) {
    std::vector<std::string> sorted = ids;
    std::ranges::sort(sorted);
    const auto [end_of_different, end] = std::ranges::unique(sorted);
    sorted.erase(end_of_different, end);
    std::vector<std::string> shortened;
    for (const std::string& id : ids) {
        // Of all others, its neighbours have most in common with it.
        const auto place = std::ranges::lower_bound(sorted, id);
        std::size_t length = least_length(id);
        if (place != sorted.begin()) length = std::max(length, common_length(id, *(place - 1)) + 1);
        if (place + 1 != sorted.end()) length = std::max(length, common_length(id, *(place + 1)) + 1);
        shortened.push_back(beginning_of(id, length));
    }
    return shortened;
}

void print_table(const Io& io, const std::vector<Column>& columns, std::vector<Row> rows, TableRoom room) {
    if (rows.empty()) return;
    for (Row& row : rows)
        for (Cell& cell : row) cell.text = visible_line(cell.text);  // keeps each entry on one row
    std::vector<Column> shown = columns;
    if (!room.is_wide) {
        leave_out_wide_columns(shown, rows);
        for (std::size_t i = 0; i < shown.size(); ++i) shorten_ids(rows, i);
    }
    if (!room.in_utc) take_brief_texts(rows);
    Widths widths = widths_of(shown, rows);
    if (!room.is_wide) widths = fitted(shown, std::move(widths), room.columns);
    Row headings;
    for (const Column& column : shown) headings.push_back({column.heading, Tone::Strong});
    print_row(io, headings, widths);
    for (const Row& row : rows) print_row(io, row, widths);
}

}  // namespace holdfast::cli
