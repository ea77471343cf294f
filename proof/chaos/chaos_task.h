#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "holdfast/function.h"

namespace holdfast::chaos {

inline constexpr const char* chaos_task = "holdfast.chaos";
inline constexpr const char* asked_to_fail = "CHAOS_ASKED";  ///< the error of a task that was told to fail

/// The variable of workers and their runners that names the folder with the ledger and the file of locks.
inline constexpr const char* book_variable = "CHAOS_BOOK";

/// What a task of the load does: its arguments.
struct Behaviour {
    int milliseconds = 0;  ///< how long it takes
    int fails = 0;         ///< its runs up to this attempt return an error
    bool dies = false;     ///< it kills its own process
    std::string key = {};  ///< its concurrency key, if any
    int limit = 0;         ///< how many tasks may hold the key at once
};
[[nodiscard]] nlohmann::json to_json(const Behaviour& behaviour);
[[nodiscard]] Behaviour behaviour_from(const nlohmann::json& args);

/// The only function of the load. A run writes its begin and its end to the ledger. While its process lives it holds
/// kernel locks for its task and for one of the places of its concurrency key: when another run holds them, two run
/// at once. Returns its lease.
[[nodiscard]] const FunctionTable& chaos_functions();

[[nodiscard]] std::string ledger_path(const std::string& book);

}  // namespace holdfast::chaos
