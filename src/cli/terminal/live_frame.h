#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/terminal/io.h"

namespace holdfast::cli {

/// A line is made of pieces, so that it can be cut to the terminal's width without cutting an escape sequence.
using ViewLine = std::vector<Cell>;

struct ScreenSize {
    int rows = 0;
    int columns = 0;
};

/// Of a terminal whose cursor can be moved; nullopt when `io.out` is not one.
[[nodiscard]] std::optional<ScreenSize> screen_of(const Io& io);

/// Whether the reader's locale shows more than ASCII.
[[nodiscard]] bool speaks_utf8(const Io& io);

/// A bar of so many columns, the first `full` of them in `tone`.
[[nodiscard]] ViewLine bar(bool utf8, int columns, int full, Tone tone);

/// Lines that are redrawn in place, in one write: what does not change does not flicker. Hides the cursor, which
/// would jump about, until it is closed.
class LiveFrame {
public:
    LiveFrame(const Io& io, int columns);
    ~LiveFrame() { close(); }
    LiveFrame(const LiveFrame&) = delete;
    LiveFrame& operator=(const LiveFrame&) = delete;

    void draw(const std::vector<ViewLine>& lines);
    /// Leaves what was drawn last on the screen.
    void close();

private:
    const Io& io_;
    const int columns_;
    std::size_t drawn_ = 0;
    bool is_open_ = true;
};

}  // namespace holdfast::cli
