#pragma once

#include <optional>
#include <string>

#include "config/config.h"
#include "config/draft.h"

namespace holdfast::config {

/// The file to read, and the source of its name.
struct ChosenFile {
    std::string name;
    Origin named_by;  ///< Default for the holdfast.yaml that was found without being named
};

/// Returns the file named by the flag, else by the environment, else holdfast.yaml in the directory when an entry of
/// that name exists; nullopt otherwise.
[[nodiscard]] std::optional<ChosenFile> choose_file(const LoadParams& params);

/// Reads the file into the draft; sections without fields go into `config`.
void read_file(const ChosenFile& file, const ZoneDefect& zone_defect, Draft& draft, Config& config);

}  // namespace holdfast::config
