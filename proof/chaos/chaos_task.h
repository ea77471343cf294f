#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "holdfast/function.h"

namespace holdfast::chaos {

inline constexpr const char* chaos_task = "holdfast.chaos";
inline constexpr const char* asked_to_fail = "CHAOS_ASKED";  ///< the error of a task that was told to fail

/// In the environment of workers, and so of their runners: the folder with the ledger and the file of locks.
inline constexpr const char* book_variable = "CHAOS_BOOK";

/// What a task of the load does, as its arguments say.
struct Behaviour {
    int milliseconds = 0;  ///< how long it takes
    int fails = 0;         ///< its runs up to this attempt return an error
    bool dies = false;     ///< it kills its own process
    std::string key = {};  ///< its concurrency key, if any,
    int limit = 0;         ///< and how many may hold it at once
};
[[nodiscard]] nlohmann::json to_json(const Behaviour& behaviour);
[[nodiscard]] Behaviour behaviour_from(const nlohmann::json& args);

/// The one function that the load consists of. A run writes its begin and its end to the ledger, and holds, for as
/// long as its process lives, a lock of the kernel for its task and one of the places of its concurrency key: where
/// another run has them, two run at once, whatever anybody else says. Returns its lease.
[[nodiscard]] const FunctionTable& chaos_functions();

[[nodiscard]] std::string ledger_path(const std::string& book);

}  // namespace holdfast::chaos
