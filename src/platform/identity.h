#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "holdfast/result.h"

namespace holdfast::platform {

/// A user that a process can become.
struct Identity {
    uid_t user = 0;
    gid_t group = 0;
    std::vector<gid_t> groups = {};  ///< the supplementary ones
    std::string home = {};           ///< empty: it has none
    bool is_exclusive = false;  ///< only one run at a time has this user: all of its processes belong to that run

    friend bool operator==(const Identity&, const Identity&) = default;
};

/// Looks an account up by its name. The error is a message for people.
[[nodiscard]] Result<Identity, std::string> find_account(const std::string& name);

/// Becomes that user for good: groups, group, user, no capabilities, no new privileges, umask 077. False when the
/// system refuses any of it; the process must then end. Only calls what a forked child of a process with threads may
/// call. The capabilities are those of the calling thread; the rest holds for all threads, except no_new_privs.
[[nodiscard]] bool become(const Identity& identity);

/// Names the capabilities that this process lacks for starting runs as other users, and with `mounts` for mounting:
/// "CAP_SETUID". Empty: none.
[[nodiscard]] std::vector<std::string> missing_capabilities(bool mounts);

/// Kills every process of the user, except this one. True when none is left; else it is to be repeated.
[[nodiscard]] bool kill_processes_of(const Identity& identity);
/// ... and all descendants of this process, until none is left; reaps them.
void kill_all_processes_of(const Identity& identity);

struct UserProcess {
    pid_t pid = 0;
    uid_t user = 0;
};
/// Another process whose user is in this range of ids; pid 0: there is none.
[[nodiscard]] UserProcess find_process_of_users(uid_t first, uid_t last);

/// Makes the memory, environment and descriptors of this process inaccessible to other processes of its user, until
/// it executes another program.
void hide_from_own_user();

}  // namespace holdfast::platform
