#include "proof/sim/faults.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

namespace holdfast::sim {
namespace {

/// The names in the first column of the table of faults: "| busy, disk-full, io-error | ... |".
std::set<std::string> documented_faults() {
    std::ifstream document(HOLDFAST_SIMULATOR_DOC);
    std::set<std::string> names;
    bool is_in_table = false;
    for (std::string line; std::getline(document, line);) {
        const bool is_head = line == "| fault | what happens |";
        is_in_table = is_head || (is_in_table && line.starts_with("|"));
        if (!is_in_table || is_head || line.starts_with("|-")) continue;
        const std::string cell = line.substr(2, line.find(" |", 2) - 2);
        for (std::size_t at = 0; at < cell.size();) {
            const std::size_t end = std::min(cell.find(", ", at), cell.size());
            names.insert(cell.substr(at, end - at));
            at = end + 2;
        }
    }
    return names;
}

TEST(Faults, AllStandInTheDocument) {
    std::set<std::string> names;
    for (const Fault fault : all_faults()) names.emplace(to_text(fault));
    EXPECT_EQ(documented_faults(), names);
}

}  // namespace
}  // namespace holdfast::sim
