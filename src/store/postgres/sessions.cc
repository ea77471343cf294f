#include "store/admission.h"
#include "store/postgres/endings.h"
#include "store/postgres/store_impl.h"
#include "store/rows.h"

namespace holdfast::postgres {

using store::SessionRecord;

void PostgresStore::create_session(const store::NewSession& session, const std::string& who) {
    store::check_remark(who);
    transact([&](Transaction& tx) {
        tx.run(
            R"sql(DELETE FROM holdfast.session s
                  WHERE s.last_used_at <= holdfast.now() - $1 * interval '1 microsecond' OR NOT EXISTS (
                    SELECT FROM holdfast.token t WHERE t.id = s.token_id AND t.revoked_at IS NULL
                      AND (t.expires_at IS NULL OR t.expires_at > holdfast.now())))sql",
            store::session_idle);
        const auto added = tx.run(
            R"sql(INSERT INTO holdfast.session
                    (id, hash, token_id, created_from, created_at, last_used_at, last_used_from)
                  VALUES ($1, $2, $3, $4, holdfast.now(), holdfast.now(), $4) ON CONFLICT DO NOTHING
                  RETURNING id)sql",
            session.id, session.hash, session.token, store::readable_text(session.from, store::max_short_text_bytes));
        if (!added.empty()) write_events(tx, {store::session_started_event(session, who)});
        return true;
    });
}

std::optional<SessionRecord> PostgresStore::find_session(const std::string& hash) {
    return work_.first("SELECT " HOLDFAST_SESSION_COLUMNS
                       " FROM holdfast.session s JOIN holdfast.token t ON t.id = s.token_id WHERE s.hash = $1",
                       store::read_as<SessionRecord>, hash);
}

std::vector<SessionRecord> PostgresStore::sessions() {
    const auto now = this->now();
    auto records = work_.all("SELECT " HOLDFAST_SESSION_COLUMNS
                             " FROM holdfast.session s JOIN holdfast.token t ON t.id = s.token_id"
                             " ORDER BY s.created_at DESC, s.id DESC",
                             store::read_as<SessionRecord>);
    std::erase_if(records, [&](const SessionRecord& record) { return !record.is_valid(now); });
    return records;
}

bool PostgresStore::end_session(const Uuid& session, const std::string& who) {
    store::check_remark(who);
    return transact([&](Transaction& tx) {
        const auto ended = tx.run(
            R"sql(DELETE FROM holdfast.session s WHERE s.id = $1
                  RETURNING (SELECT t.name FROM holdfast.token t WHERE t.id = s.token_id))sql",
            session);
        if (ended.empty()) return false;
        write_events(tx, {store::session_ended_event(session, ended[0].string(0), who)});
        return true;
    });
}

void PostgresStore::note_session_use(const Uuid& session, const std::string& from) {
    work_.write("UPDATE holdfast.session SET last_used_at = holdfast.now(), last_used_from = $2 WHERE id = $1",
                session, store::readable_text(from, store::max_short_text_bytes));
}

}  // namespace holdfast::postgres
