#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

/// All that a run of the program can see and touch outside the store and the configuration file.
struct Io {
    std::istream& in;
    std::ostream& out;  ///< a VisibleStream, as is the next one
    std::ostream& err;
    std::ostream& raw;  ///< what `out` writes to: takes bytes as they are
    std::map<std::string, std::string> environment;
    bool terminal = false;  ///< `out` is one: print for a person
};

/// What the process leaves behind. Documented in docs/cli.md; scripts rely on them.
enum class ExitCode {
    Done = 0,
    Failed = 1,     ///< what was asked for did not happen
    BadUsage = 2,   ///< bad usage or configuration; nothing was tried
    StoreDown = 3,  ///< the store could not be reached or used
};

enum class Tone { Plain, Good, Bad, Busy, Faint, Strong };

/// The text in its colour, on a terminal that wants colours (NO_COLOR, TERM=dumb); else unchanged.
[[nodiscard]] std::string paint(const Io& io, Tone tone, std::string_view text);

struct Cell {
    std::string text;
    Tone tone = Tone::Plain;
};

/// Columns as wide as their widest cell, two spaces apart, under a heading. Prints nothing when there are no rows.
void print_table(const Io& io, const std::vector<std::string>& headings, const std::vector<std::vector<Cell>>& rows);

/// Prints what is known about one thing: a label and a value a line. Empty values are left out.
class FieldPrinter {
public:
    explicit FieldPrinter(const Io& io) : io_(io) {}
    void operator()(std::string_view label, const std::string& value, Tone tone = Tone::Plain) const;

private:
    const Io& io_;
};

}  // namespace holdfast::cli
