#pragma once

#include <optional>
#include <string>

#include "config/config.h"
#include "config/draft.h"

namespace holdfast::config {

/// Which file to read, and who named it.
struct ChosenFile {
    std::string name;
    Origin named_by;  ///< Default for the holdfast.yaml that was found by itself
};

/// The flag's, else the environment's, else holdfast.yaml in the directory if something of that name is there.
[[nodiscard]] std::optional<ChosenFile> choose_file(const LoadParams& params);

/// Reads the file into the draft; sections without fields go into `config`.
void read_file(const ChosenFile& file, const ZoneDefect& zone_defect, Draft& draft, Config& config);

}  // namespace holdfast::config
