#pragma once

#include <string>
#include <string_view>

#include "cli/terminal/io.h"

namespace holdfast::cli {

/// Prints what is known about one thing: a label and a value a line. Empty values are left out.
class FieldPrinter {
public:
    explicit FieldPrinter(const Io& io) : io_(io) {}
    void operator()(std::string_view label, const std::string& value, Tone tone = Tone::Plain) const;

private:
    const Io& io_;
};

}  // namespace holdfast::cli
