#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

/// The environment of one run of the program, apart from the store and the configuration file.
struct Io {
    std::istream& in;
    std::ostream& out;  ///< a VisibleStream, as is `err`
    std::ostream& err;
    std::ostream& raw;  ///< the target of `out`: takes bytes unchanged
    std::map<std::string, std::string> environment;
    bool terminal = false;  ///< `out` is a terminal: print for a person
};

/// The exit code of the process. Documented in docs/cli.md; scripts rely on it.
enum class ExitCode {
    Done = 0,
    Failed = 1,     ///< the requested action did not succeed
    BadUsage = 2,   ///< bad usage or configuration; the action was not attempted
    StoreDown = 3,  ///< the store could not be reached or used
};

enum class Tone { Plain, Good, Bad, Busy, Faint, Strong };

/// The text in colour, on a terminal that supports it (see NO_COLOR, TERM=dumb); else unchanged.
[[nodiscard]] std::string paint(const Io& io, Tone tone, std::string_view text);

struct Cell {
    std::string text;
    Tone tone = Tone::Plain;
};

/// Prints a table with a heading; columns are as wide as their widest cell, two spaces apart. Prints nothing when
/// there are no rows.
void print_table(const Io& io, const std::vector<std::string>& headings, const std::vector<std::vector<Cell>>& rows);

/// Prints the properties of one object: a label and a value per line. Empty values are left out.
class FieldPrinter {
public:
    explicit FieldPrinter(const Io& io) : io_(io) {}
    void operator()(std::string_view label, const std::string& value, Tone tone = Tone::Plain) const;

private:
    const Io& io_;
};

}  // namespace holdfast::cli
