#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "store/check_rules.h"

namespace holdfast::store {

/// How a store that was restored from a backup begins.
struct RestartParams {
    std::string who = {};
    std::string file = {};        ///< the backup, for the event
    std::int64_t rank_above = 0;  ///< of the store that is replaced; 0: none is
    bool pauses = true;           ///< all queues and schedules
    bool skips_slots = true;      ///< those of schedules between the backup and now
    bool accepts_faults = false;  ///< rows that break a rule of store/check_rules.h do not matter, unreadable ones do
};

struct RestartAnswer {
    CheckReport check = {};
    bool is_refused = false;  ///< for what the check found; nothing was changed
    int schema_before = 0;    ///< version of the backup; it was brought up to `schema`
    int schema = 0;
    std::int64_t rank = 0;
    std::vector<std::string> queues = {};     ///< that are paused now
    std::vector<std::string> schedules = {};  ///< that are paused now
    std::vector<std::string> notes = {};      ///< what else a person has to know
};

/// Whether the store must not be used: a page is damaged, or a rule is broken that does matter.
[[nodiscard]] bool is_refused(const CheckReport& check, const RestartParams& params);

/// The queues of all steps and hooks in a definition, also those that no task has gone to yet. Empty when the text
/// cannot be read.
[[nodiscard]] std::set<std::string> queues_in(const std::string& definition);

}  // namespace holdfast::store
