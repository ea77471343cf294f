#pragma once

#include <concepts>
#include <string_view>
#include <type_traits>
#include <utility>

#include <nlohmann/json.hpp>

#include "holdfast/errors.h"
#include "holdfast/task.h"
#include "holdfast/typed_task.h"

struct pg_conn;  // libpq's PGconn

namespace holdfast {

/// Submits a task inside the caller's own PostgreSQL transaction: the task is there if and when that transaction
/// commits, together with whatever else it did, and never was if it rolls back. Workers are told at the commit.
///
/// `connection` is the caller's, inside a transaction block, to a database in which Holdfast's schema is up to date
/// (a Client or `holdfast migrate` sees to that); outside a block the task is committed at once. One thread at a
/// time, as with everything in libpq.
///
/// Throws BadInput for what it is given before the database is asked. What the database refuses (PayloadMismatch;
/// BadInput for arguments larger than its setting holdfast.max_payload_bytes, 1 MiB where it is not set, and for an
/// id whose task may have been removed; Unusable without a schema) leaves the transaction failed, as any
/// refused statement does: roll it back. Throws BadInput when the library was built without PostgreSQL.
Uuid submit_in_transaction(pg_conn* connection, std::string_view name, const nlohmann::json& args,
                           const SubmitOptions& options = {});

/// The same for a typed task.
template <JsonValue Args, JsonValue ResultType, typename Given = Args>
requires std::same_as<std::remove_cvref_t<Given>, Args> TaskHandle<ResultType> submit_in_transaction(
    pg_conn* connection, const Task<Args, ResultType>& task, Given&& args, const SubmitOptions& options = {}) {
    return {submit_in_transaction(connection, task.name(), nlohmann::json(std::forward<Given>(args)), options)};
}

}  // namespace holdfast
