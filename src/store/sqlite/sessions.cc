#include "store/admission.h"
#include "store/rows.h"
#include "store/sqlite/endings.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

using store::SessionRecord;

void SqliteStore::create_session(const store::NewSession& session, const std::string& who) {
    store::check_remark(who);
    write([&](Transaction& tx) {
        tx.db.run(
            R"sql(DELETE FROM session WHERE last_used_at <= ?1 OR NOT EXISTS (
                    SELECT 1 FROM token t WHERE t.id = session.token_id AND t.revoked_at IS NULL
                      AND (t.expires_at IS NULL OR t.expires_at > ?2)))sql",
            tx.now - store::session_idle, tx.now);
        const auto from = store::readable_text(session.from, store::max_short_text_bytes);
        const auto added = tx.db.run(
            R"sql(INSERT INTO session (id, hash, token_id, created_from, created_at, last_used_at, last_used_from)
                  VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?4) ON CONFLICT DO NOTHING)sql",
            session.id, session.hash, session.token, from, tx.now);
        if (added > 0) write_event(tx, store::session_started_event(session, who));
        return true;
    });
}

std::optional<SessionRecord> SqliteStore::find_session(const std::string& hash) {
    return work_.first("SELECT " HOLDFAST_SESSION_COLUMNS
                       " FROM session s JOIN token t ON t.id = s.token_id WHERE s.hash = ?",
                       store::read_as<SessionRecord>, hash);
}

std::vector<SessionRecord> SqliteStore::sessions() {
    const auto now = clock_.now();
    auto records =
        work_.all("SELECT " HOLDFAST_SESSION_COLUMNS
                  " FROM session s JOIN token t ON t.id = s.token_id ORDER BY s.created_at DESC, s.id DESC",
                  store::read_as<SessionRecord>);
    std::erase_if(records, [&](const SessionRecord& record) { return !record.is_valid(now); });
    return records;
}

bool SqliteStore::end_session(const Uuid& session, const std::string& who) {
    store::check_remark(who);
    return write([&](Transaction& tx) {
        const auto token =
            tx.db.first("SELECT t.name FROM session s JOIN token t ON t.id = s.token_id WHERE s.id = ?",
                        store::read_as<std::string>, session);
        if (tx.db.run("DELETE FROM session WHERE id = ?", session) == 0) return false;
        write_event(tx, store::session_ended_event(session, token.value_or(""), who));
        return true;
    });
}

void SqliteStore::note_session_use(const Uuid& session, const std::string& from) {
    const auto readable = store::readable_text(from, store::max_short_text_bytes);
    write([&](Transaction& tx) {
        return tx.db.run("UPDATE session SET last_used_at = ?, last_used_from = ? WHERE id = ?", tx.now, readable,
                         session);
    });
}

}  // namespace holdfast::sqlite
