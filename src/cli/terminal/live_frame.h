#pragma once

#include <optional>
#include <vector>

#include "cli/terminal/table.h"

namespace holdfast::cli {

/// A line consists of pieces, so that it can be cut to the terminal's width without breaking an escape sequence.
using ViewLine = std::vector<Cell>;

struct ScreenSize {
    int rows = 0;
    int columns = 0;
};

/// The size of the terminal; nullopt when `io.out` is not a terminal whose cursor can be moved.
[[nodiscard]] std::optional<ScreenSize> screen_of(const Io& io);

/// Whether the locale supports UTF-8.
[[nodiscard]] bool speaks_utf8(const Io& io);

/// A bar of `columns` columns, the first `full` of them in `tone`.
[[nodiscard]] ViewLine bar(bool utf8, int columns, int full, Tone tone);

/// Redraws lines in place, with one write per frame, so that unchanged lines do not flicker. Hides the cursor until
/// it is closed.
class LiveFrame {
public:
    LiveFrame(const Io& io, int columns);
    ~LiveFrame() { close(); }
    LiveFrame(const LiveFrame&) = delete;
    LiveFrame& operator=(const LiveFrame&) = delete;

    void draw(const std::vector<ViewLine>& lines);
    /// Leaves the last frame on the screen.
    void close();

private:
    const Io& io_;
    const int columns_;
    std::size_t drawn_ = 0;
    bool is_open_ = true;
};

}  // namespace holdfast::cli
