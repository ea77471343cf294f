#include "store/admission.h"
#include "store/encoding.h"
#include "store/postgres/endings.h"
#include "store/postgres/store_impl.h"

namespace holdfast::postgres {

namespace {

using store::CreateTokenStatus;
using store::TokenRecord;

#define HOLDFAST_TOKEN_COLUMNS \
    "id, name, hash, scope, queues, expires_at, who, created_at, revoked_at, last_used_at, last_used_from"

TokenRecord read_token(const Rows& rows, int row) {
    TokenRecord record;
    record.token = {
        rows.uuid(row, 0),    rows.string(row, 1),        rows.string(row, 2), store::read_scope(rows.text(row, 3)),
        rows.strings(row, 4), rows.optional_time(row, 5), rows.string(row, 6)};
    record.created_at = rows.time(row, 7);
    record.revoked_at = rows.optional_time(row, 8);
    record.last_used_at = rows.optional_time(row, 9);
    record.last_used_from = rows.string(row, 10);
    return record;
}

/// Whoever makes a token of this name waits here: no index can say which names are taken now.
void take_turn(Transaction& tx, const std::string& name) {
    tx.run("SELECT pg_advisory_xact_lock(hashtextextended('holdfast.token ' || $1, 0))", name);
}

bool is_known(Transaction& tx, const Uuid& token) {
    return !tx.run("SELECT FROM holdfast.token WHERE id = $1", token).empty();
}

bool is_name_taken(Transaction& tx, const std::string& name) {
    return !tx.run(
                  "SELECT FROM holdfast.token WHERE name = $1 AND revoked_at IS NULL"
                  " AND (expires_at IS NULL OR expires_at > holdfast.now())",
                  name)
                .empty();
}

}  // namespace

CreateTokenStatus PostgresStore::create_token(const store::NewToken& token) {
    store::check_token(token);
    return transact([&](Transaction& tx) {
        take_turn(tx, token.name);
        if (is_known(tx, token.id)) return CreateTokenStatus::Created;
        if (is_name_taken(tx, token.name)) return CreateTokenStatus::NameTaken;
        tx.run(
            "INSERT INTO holdfast.token (id, name, hash, scope, queues, expires_at, who, created_at)"
            " VALUES ($1, $2, $3, $4, $5, $6, $7, holdfast.now())",
            token.id, token.name, token.hash, to_text(token.scope), token.queues, token.expires_at, token.who);
        write_events(tx, {store::token_created_event(token)});
        return CreateTokenStatus::Created;
    });
}

std::vector<TokenRecord> PostgresStore::tokens() {
    const auto rows =
        work_.read("SELECT " HOLDFAST_TOKEN_COLUMNS " FROM holdfast.token ORDER BY created_at DESC, id DESC");
    std::vector<TokenRecord> tokens;
    for (int row = 0; row < rows.size(); ++row) tokens.push_back(read_token(rows, row));
    return tokens;
}

std::optional<TokenRecord> PostgresStore::find_token(const std::string& hash) {
    const auto rows = work_.read("SELECT " HOLDFAST_TOKEN_COLUMNS " FROM holdfast.token WHERE hash = $1", hash);
    if (rows.empty()) return std::nullopt;
    return read_token(rows, 0);
}

bool PostgresStore::revoke_token(const std::string& name_or_id, const std::string& who) {
    store::check_remark(who);
    return transact([&](Transaction& tx) {
        // Of one name there may also be expired ones.
        const auto rows = tx.run(
            "UPDATE holdfast.token SET revoked_at = holdfast.now() WHERE (name = $1 OR id = $2) AND revoked_at IS "
            "NULL"
            " RETURNING name",
            name_or_id, Uuid::parse(name_or_id));
        std::vector<store::NewEvent> events;
        for (int row = 0; row < rows.size(); ++row)
            events.push_back(store::token_revoked_event(rows.string(row, 0), who));
        write_events(tx, events);
        return !events.empty();
    });
}

void PostgresStore::note_token_use(const Uuid& token, const std::string& from) {
    work_.write("UPDATE holdfast.token SET last_used_at = holdfast.now(), last_used_from = $2 WHERE id = $1", token,
                store::readable_text(from, store::max_short_text_bytes));
}

}  // namespace holdfast::postgres
