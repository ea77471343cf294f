#include "config/config.h"
#include "config/config_file.h"
#include "config/draft.h"
#include "config/key_reader.h"
#include "config/overrides.h"
#include "config/rules.h"

namespace holdfast::config {

Result<Config, ConfigErrors> load(const LoadParams& params) {
    Config config;
    Draft draft;
    if (const auto file = choose_file(params)) read_file(*file, params.zone_defect, draft, config);
    read_environment(params.environment, draft);
    read_flags(params.flags, draft);
    check_rules(draft);
    if (!draft.errors().empty()) return Failure{draft.sorted_errors()};
    draft.fill(config);
    config.warnings = unshared_keys(draft.key_uses(), config.keys);
    return config;
}

}  // namespace holdfast::config
