#include "store/admission.h"
#include "store/rows.h"
#include "store/sqlite/endings.h"
#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

namespace {

using store::Fenced;

bool runs(Database& db, const Uuid& worker, const store::TaskLease& lease) {
    return db.finds(
        "SELECT 1 FROM lease WHERE task_id = ? AND lease = ? AND worker_id = ? AND started_at IS NOT NULL",
        lease.task, lease.lease, worker);
}

Fenced append_one(Transaction& tx, const Uuid& worker, const store::LogChunk& chunk) {
    if (tx.db.finds("SELECT 1 FROM log WHERE task_id = ? AND lease = ? AND sequence = ?", chunk.task, chunk.lease,
                    chunk.sequence))
        return Fenced::Already;
    if (!runs(tx.db, worker, {chunk.task, chunk.lease})) return Fenced::LeaseLost;
    tx.db.run("INSERT INTO log (task_id, lease, sequence, stream, text, at) VALUES (?, ?, ?, ?, ?, ?)", chunk.task,
              chunk.lease, chunk.sequence, store::readable_text(chunk.stream, store::max_short_text_bytes),
              store::readable_text(chunk.text, std::string::npos), chunk.at);
    tx.ends_tasks = true;  // wakes the readers that follow the log
    return Fenced::Applied;
}

}  // namespace

Fenced save_progress_of(Transaction& tx, const Uuid& worker, const store::ProgressReport& report,
                        const store::Limits& limits) {
    if (store::refusal(report, limits)) return Fenced::Refused;
    if (!runs(tx.db, worker, report.lease)) return Fenced::LeaseLost;
    const auto text = report.fraction ? std::optional<std::string_view>(report.text) : std::nullopt;
    tx.db.run(
        R"sql(INSERT INTO progress (task_id, fraction, text, checkpoint, saved_at) VALUES (?1, ?2, ?3, ?4, ?5)
              ON CONFLICT (task_id) DO UPDATE SET fraction = coalesce(?2, fraction), text = coalesce(?3, text),
                checkpoint = coalesce(?4, checkpoint), saved_at = ?5)sql",
        report.lease.task, report.fraction, text, report.checkpoint, tx.now);
    return Fenced::Applied;
}

std::vector<Fenced> SqliteStore::save_progress(const Uuid& worker,
                                               const std::vector<store::ProgressReport>& reports) {
    return write_each<Fenced>(reports, [&](Transaction& tx, const store::ProgressReport& report) {
        return save_progress_of(tx, worker, report, limits_);
    });
}

std::vector<Fenced> SqliteStore::append_logs(const Uuid& worker, const std::vector<store::LogChunk>& chunks) {
    return write_each<Fenced>(
        chunks, [&](Transaction& tx, const store::LogChunk& chunk) { return append_one(tx, worker, chunk); });
}

std::vector<store::LogRecord> SqliteStore::read_logs(const store::ReadLogsParams& params) {
    return work_.all("SELECT " HOLDFAST_LOG_COLUMNS " FROM log WHERE task_id = ? AND id > ? ORDER BY id LIMIT ?",
                     store::read_as<store::LogRecord>, params.task, params.after_offset, params.limit);
}

}  // namespace holdfast::sqlite
