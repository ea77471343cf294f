#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/io.h"
#include "holdfast/time.h"
#include "holdfast/uuid.h"

namespace holdfast::cli {

struct Cell {
    std::string text;
    Tone tone = Tone::Plain;
    std::string brief = {};  ///< a shorter text for narrow tables; empty: none
    bool is_id = false;      ///< narrow tables show its beginning, as far as it is unique
};

[[nodiscard]] Cell id_cell(const Uuid& id, Tone tone = Tone::Plain);
/// A moment: in UTC, or as its distance from `now`: "5m ago".
[[nodiscard]] Cell moment_cell(Timestamp moment, Timestamp now, Tone tone = Tone::Plain);
/// The distance of a moment from `now` in its largest unit: "5m ago", "in 2d".
[[nodiscard]] std::string distance_text(Timestamp moment, Timestamp now);

using Row = std::vector<Cell>;

/// A column of a table, and what becomes of it where there is little room.
struct Column {
    enum class Room {
        Whole,      ///< it is shown as it is
        Shortened,  ///< long texts lose their end
        WideOnly,   ///< it is left out
    };

    // Not explicit: most columns are nothing but a heading.
    Column(const char* heading_, Room room_ = Room::Whole) : heading(heading_), room(room_) {}
    explicit Column(std::string heading_) : heading(std::move(heading_)) {}

    std::string heading;
    Room room = Room::Whole;
};

/// How much room a table has.
struct TableRoom {
    bool is_wide = true;  ///< everything is shown, however long the lines
    bool in_utc = true;   ///< moments in UTC, also where there is little room
    std::size_t columns = 80;
};

/// The number of characters: the continuation bytes of UTF-8 take no column.
[[nodiscard]] std::size_t columns_of(std::string_view text);

/// The beginnings of ids by which each can be told from the others; ids of one moment at least as far as the moment.
[[nodiscard]] std::vector<std::string> short_ids(const std::vector<std::string>& ids);

/// Prints a table with a heading; columns are as wide as their widest cell, two spaces apart. Prints nothing when
/// there are no rows.
void print_table(const Io& io, const std::vector<Column>& columns, std::vector<Row> rows, TableRoom room = {});

}  // namespace holdfast::cli
