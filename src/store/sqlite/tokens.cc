#include "store/admission.h"
#include "store/rows.h"
#include "store/sqlite/endings.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

namespace {

using store::CreateTokenStatus;
using store::TokenRecord;

bool is_name_taken(const Transaction& tx, const std::string& name) {
    return tx.db.finds(
        "SELECT 1 FROM token WHERE name = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)", name,
        tx.now);
}

/// Tokens that are not revoked: besides the valid one of a name there may be expired ones.
std::vector<TokenRecord> find_unrevoked(Database& db, const std::string& name_or_id) {
    return db.all("SELECT " HOLDFAST_TOKEN_COLUMNS " FROM token WHERE (name = ?1 OR id = ?2) AND revoked_at IS NULL",
                  store::read_as<TokenRecord>, name_or_id, Uuid::parse(name_or_id));
}

}  // namespace

CreateTokenStatus SqliteStore::create_token(const store::NewToken& token) {
    store::check_token(token);
    return write([&](Transaction& tx) {
        if (tx.db.finds("SELECT 1 FROM token WHERE id = ?", token.id)) return CreateTokenStatus::Created;
        if (is_name_taken(tx, token.name)) return CreateTokenStatus::NameTaken;
        const auto queues = store::encode_strings(token.queues);
        tx.db.run(
            R"sql(INSERT INTO token (id, name, hash, scope, queues, expires_at, who, created_at)
                  VALUES (?, ?, ?, ?, ?, ?, ?, ?))sql",
            token.id, token.name, token.hash, word_of(token.scope), queues, token.expires_at, token.who, tx.now);
        write_event(tx, store::token_created_event(token));
        return CreateTokenStatus::Created;
    });
}

std::vector<TokenRecord> SqliteStore::tokens() {
    return work_.all("SELECT " HOLDFAST_TOKEN_COLUMNS " FROM token ORDER BY created_at DESC, id DESC",
                     store::read_as<TokenRecord>);
}

std::optional<TokenRecord> SqliteStore::find_token(const std::string& hash) {
    return work_.first("SELECT " HOLDFAST_TOKEN_COLUMNS " FROM token WHERE hash = ?", store::read_as<TokenRecord>,
                       hash);
}

bool SqliteStore::revoke_token(const std::string& name_or_id, const std::string& who) {
    store::check_remark(who);
    return write([&](Transaction& tx) {
        const auto tokens = find_unrevoked(tx.db, name_or_id);
        for (const auto& record : tokens) {
            tx.db.run("UPDATE token SET revoked_at = ? WHERE id = ?", tx.now, record.token.id);
            write_event(tx, store::token_revoked_event(record.token, who));
        }
        return !tokens.empty();
    });
}

void SqliteStore::note_token_use(const Uuid& token, const std::string& from) {
    const auto readable = store::readable_text(from, store::max_short_text_bytes);
    write([&](Transaction& tx) {
        return tx.db.run("UPDATE token SET last_used_at = ?, last_used_from = ? WHERE id = ?", tx.now, readable,
                         token);
    });
}

}  // namespace holdfast::sqlite
