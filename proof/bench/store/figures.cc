#include "proof/bench/store/figures.h"

#include <cmath>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <ostream>

namespace holdfast::bench {

namespace {

std::string with_thousands(double value) {
    const auto digits = std::to_string(std::llround(value));
    std::string grouped;
    for (std::size_t at = 0; at < digits.size(); ++at) {
        if (at > 0 && (digits.size() - at) % 3 == 0) grouped += ',';
        grouped += digits[at];
    }
    return grouped;
}

std::string shown(double value) {
    if (value >= 1000) return with_thousands(value);
    std::ostringstream text;
    text << std::fixed << std::setprecision(2) << value;
    return text.str();
}

}  // namespace

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.at(values.size() / 2);
}

void print_table(std::ostream& out, const std::vector<Figure>& figures, const Titles& titles) {
    out << "| store | measure | settings | " << titles.value << " | unit | " << titles.floor
        << " | ratio |\n|---|---|---|---:|---|---:|---:|\n";
    for (const auto& figure : figures) {
        out << "| " << figure.store << " | " << figure.measure << " | " << figure.settings << " | "
            << shown(figure.value) << " | " << figure.unit << " | ";
        if (figure.floor > 0)
            out << shown(figure.floor) << " | " << shown(figure.value / figure.floor) << " |\n";
        else
            out << " | |\n";
    }
    out.flush();
}

void print_json(std::ostream& out, const std::vector<Figure>& figures) {
    for (const auto& figure : figures) {
        nlohmann::ordered_json line = {{"store", figure.store},
                                       {"measure", figure.measure},
                                       {"settings", figure.settings},
                                       {"value", figure.value},
                                       {"unit", figure.unit}};
        if (figure.floor > 0) line["compared_with"] = figure.floor;
        out << line.dump() << '\n';
    }
}

}  // namespace holdfast::bench
