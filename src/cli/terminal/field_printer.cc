#include "cli/terminal/field_printer.h"

#include <fmt/format.h>

#include <ostream>

#include "base/visible_text.h"

namespace holdfast::cli {

void FieldPrinter::operator()(std::string_view label, const std::string& value, Tone tone) const {
    if (value.empty()) return;
    io_.out << paint(io_, Tone::Faint, fmt::format("{:<12}", label)) << paint(io_, tone, visible_line(value)) << '\n';
}

}  // namespace holdfast::cli
