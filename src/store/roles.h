#pragma once

#include "base/words.h"

namespace holdfast::store {

/// What a process does with a database that distinguishes its users. Each is a role without a login,
/// "holdfast_worker", that an operator grants to the users that connect.
enum class Role {
    Owner,   ///< owns the schema, and upgrades it
    Worker,  ///< runs tasks, and sweeps
    Server,  ///< serves the API, sweeps, and operates: servers and the commands that control work
    Client,  ///< submits tasks, starts jobs, and reads
    Reader,  ///< only reads
};
constexpr auto words_of(Role) {
    using enum Role;
    return words<Role>(
        {{Owner, "owner"}, {Worker, "worker"}, {Server, "server"}, {Client, "client"}, {Reader, "reader"}});
}

}  // namespace holdfast::store
