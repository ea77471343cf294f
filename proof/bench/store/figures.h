#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace holdfast::bench {

/// One line of the report.
struct Figure {
    std::string store;
    std::string measure;
    std::string settings;  ///< "batch 500, 2 connections"
    double value = 0;
    std::string unit;
    double floor = 0;  ///< the value to compare with; 0: none
};

/// The column headings that differ between measures.
struct Titles {
    std::string value = "median";
    std::string floor;
};

[[nodiscard]] double median(std::vector<double> values);

/// Markdown, as docs/performance.md quotes it.
void print_table(std::ostream& out, const std::vector<Figure>& figures, const Titles& titles);
/// One object per line.
void print_json(std::ostream& out, const std::vector<Figure>& figures);

}  // namespace holdfast::bench
