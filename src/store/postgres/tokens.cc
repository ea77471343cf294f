#include "store/admission.h"
#include "store/postgres/endings.h"
#include "store/postgres/store_impl.h"
#include "store/rows.h"

namespace holdfast::postgres {

namespace {

using store::CreateTokenStatus;
using store::TokenRecord;

/// Makers of tokens of one name take turns: no index can say which names are taken now.
void take_turn(Transaction& tx, const std::string& name) {
    tx.run("SELECT pg_advisory_xact_lock(hashtextextended('holdfast.token ' || $1, 0))", name);
}

bool is_known(Transaction& tx, const Uuid& token) {
    return !tx.run("SELECT FROM holdfast.token WHERE id = $1", token).empty();
}

bool is_name_taken(Transaction& tx, const std::string& name) {
    return !tx.run(
                  R"sql(SELECT FROM holdfast.token WHERE name = $1 AND revoked_at IS NULL
                        AND (expires_at IS NULL OR expires_at > holdfast.now()))sql",
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
            R"sql(INSERT INTO holdfast.token (id, name, hash, scope, queues, expires_at, who, created_at)
                  VALUES ($1, $2, $3, $4, $5, $6, $7, holdfast.now()))sql",
            token.id, token.name, token.hash, word_of(token.scope), token.queues, token.expires_at, token.who);
        write_events(tx, {store::token_created_event(token)});
        return CreateTokenStatus::Created;
    });
}

std::vector<TokenRecord> PostgresStore::tokens() {
    return work_.all("SELECT " HOLDFAST_TOKEN_COLUMNS " FROM holdfast.token ORDER BY created_at DESC, id DESC",
                     store::read_as<TokenRecord>);
}

std::optional<TokenRecord> PostgresStore::find_token(const std::string& hash) {
    return work_.first("SELECT " HOLDFAST_TOKEN_COLUMNS " FROM holdfast.token WHERE hash = $1",
                       store::read_as<TokenRecord>, hash);
}

bool PostgresStore::revoke_token(const std::string& name_or_id, const std::string& who) {
    store::check_remark(who);
    return transact([&](Transaction& tx) {
        // Besides the valid token of a name there may be expired ones.
        const auto rows = tx.run(
            R"sql(UPDATE holdfast.token SET revoked_at = holdfast.now()
                  WHERE (name = $1 OR id = $2) AND revoked_at IS NULL
                  RETURNING )sql" HOLDFAST_TOKEN_COLUMNS,
            name_or_id, Uuid::parse(name_or_id));
        write_events(tx, rows.all([&](const Row& row) {
            return store::token_revoked_event(store::read_as<TokenRecord>(row).token, who);
        }));
        return !rows.empty();
    });
}

void PostgresStore::note_token_use(const Uuid& token, const std::string& from) {
    work_.write("UPDATE holdfast.token SET last_used_at = holdfast.now(), last_used_from = $2 WHERE id = $1", token,
                store::readable_text(from, store::max_short_text_bytes));
}

}  // namespace holdfast::postgres
