#include "holdfast/transaction.h"

#include <cstdint>

#include "base/text.h"
#include "client/operations.h"
#ifdef HOLDFAST_WITH_POSTGRES
#include <libpq-fe.h>

#include "core/task/task_options.h"
#include "store/admission.h"
#include "store/postgres/wire.h"
#endif

namespace holdfast {

#ifdef HOLDFAST_WITH_POSTGRES

namespace {

constexpr const char* submit_sql =
    "SELECT holdfast.submit(name => $1, args => $2::json, queue => $3, tags => $4, priority => $5, run_at => $6,"
    " deadline => $7, policy => $8::jsonb, concurrency_key => $9, concurrency_limit => $10, idempotency_key => $11,"
    " id => $12, traceparent => $13)";

std::optional<std::string> unless_empty(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

postgres::Params params_of(const store::NewTask& task) {
    const bool keyed = task.concurrency.has_value();
    return postgres::Params(task.name, task.args, task.queue, task.tags, task.priority, task.run_at, task.deadline,
                            unless_empty(core::encode_policy(task.policy)),
                            keyed ? std::optional(task.concurrency->key) : std::nullopt,
                            keyed ? std::optional(task.concurrency->limit) : std::nullopt,
                            unless_empty(task.idempotency_key), task.id, unless_empty(task.traceparent));
}

[[noreturn]] void throw_refused(const std::string& state, const std::string& message) {
    if (state == "HF001") throw PayloadMismatch(message);
    if (state == "22023") throw BadInput(message);
    if (state == "3F000" || state == "42883")
        throw Unusable(concat(message, "; the database has no up-to-date holdfast schema: run 'holdfast migrate'"));
    if (state == "53100") throw Full(message);
    if (state.empty() || state.starts_with("08") || state.starts_with("57") || state.starts_with("40"))
        throw Unavailable(message);
    throw Unusable(message);
}

std::string primary_message(const PGresult* result, const PGconn* connection) {
    const char* primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    std::string message = primary != nullptr ? primary : PQerrorMessage(connection);
    message.erase(message.find_last_not_of('\n') + 1);
    return message;
}

Uuid ask(PGconn* connection, const postgres::Params& params) {
    const auto values = params.values();
    const auto lengths = params.lengths();
    const std::vector<int> formats(values.size(), 1);
    PGresult* result = PQexecParams(connection, submit_sql, params.count(), params.types(), values.data(),
                                    lengths.data(), formats.data(), /*resultFormat=*/1);
    const postgres::Rows answer(result);
    if (PQresultStatus(result) == PGRES_TUPLES_OK) return answer[0].uuid(0);
    const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    throw_refused(state != nullptr ? state : "", primary_message(result, connection));
}

}  // namespace

Uuid submit_in_transaction(pg_conn* connection, std::string_view name, const nlohmann::json& args,
                           const SubmitOptions& options) {
    const store::NewTask task = client::function_task(name, client::args_text(name, args), options);
    // How large arguments may be is a setting of the database.
    if (const auto complaint = store::refusal(task, {.max_payload_bytes = SIZE_MAX, .terminal_retention = {}}))
        throw BadInput(*complaint);
    return ask(connection, params_of(task));
}

#else

Uuid submit_in_transaction(pg_conn*, std::string_view, const nlohmann::json&, const SubmitOptions&) {
    throw BadInput("this build of holdfast has no PostgreSQL store; build it with HOLDFAST_WITH_POSTGRES=ON");
}

#endif

}  // namespace holdfast
