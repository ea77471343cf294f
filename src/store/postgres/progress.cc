#include "store/postgres/progress.h"

#include <set>

#include "store/admission.h"
#include "store/postgres/batches.h"
#include "store/postgres/store_impl.h"
#include "store/rows.h"

namespace holdfast::postgres {

namespace {

using store::Fenced;
using store::LogChunk;

Fenced read_fenced(std::string_view text) {
    if (text == "applied") return Fenced::Applied;
    return text == "already" ? Fenced::Already : Fenced::LeaseLost;
}

/// Batches in which no chunk occurs twice; in the order given.
std::vector<Batch> batches_of(const std::vector<LogChunk>& chunks) {
    std::set<std::tuple<Uuid, store::Lease, int>> seen;
    return split_batches(
        chunks.size(), [&] { seen.clear(); },
        [&](std::size_t i) { return !seen.emplace(chunks[i].task, chunks[i].lease, chunks[i].sequence).second; });
}

Command append_command(const std::vector<LogChunk>& chunks, const Batch& batch) {
    Array<Uuid> tasks;
    Array<std::int64_t> leases;
    Array<int> sequences;
    Array<std::string_view> streams, texts;
    Array<Timestamp> ats;
    for (const auto index : batch) {
        const auto& chunk = chunks[index];
        tasks.add(chunk.task);
        leases.add(chunk.lease);
        sequences.add(chunk.sequence);
        streams.add(store::readable_text(chunk.stream, store::max_short_text_bytes));
        texts.add(store::readable_text(chunk.text, std::string::npos));
        ats.add(chunk.at);
    }
    return {"SELECT holdfast.append_logs($1, $2, $3, $4, $5, $6)",
            Params(tasks, leases, sequences, streams, texts, ats)};
}

}  // namespace

std::vector<Fenced> save_progress_of(Transaction& tx, const std::vector<store::ProgressReport>& reports,
                                     const Batch& batch, const store::Limits& limits) {
    std::vector<Fenced> answers(batch.size(), Fenced::Refused);
    Array<Uuid> tasks;
    Array<std::int64_t> leases;
    Array<double> fractions;
    Array<std::string_view> texts, checkpoints;
    std::vector<std::size_t> sent;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const auto& report = reports[batch[i]];
        if (store::refusal(report, limits)) continue;
        sent.push_back(i);
        tasks.add(report.lease.task);
        leases.add(report.lease.lease);
        fractions.add_optional(report.fraction);
        report.fraction ? texts.add(report.text) : texts.add_null();
        report.checkpoint ? checkpoints.add(*report.checkpoint) : checkpoints.add_null();
    }
    if (sent.empty()) return answers;
    const auto rows =
        tx.run("SELECT holdfast.save_progress($1, $2, $3, $4, $5)", tasks, leases, fractions, texts, checkpoints);
    const auto texts_of_answers = rows[0].strings(0);
    for (std::size_t i = 0; i < sent.size(); ++i) answers[sent[i]] = read_fenced(texts_of_answers[i]);
    return answers;
}

std::vector<Fenced> PostgresStore::save_progress(const std::vector<store::ProgressReport>& reports) {
    std::vector<Fenced> answers(reports.size());
    for (const auto& batch : batches_by_task(reports.size(), [&](std::size_t i) { return reports[i].lease.task; })) {
        const auto saved =
            transact([&](Transaction& tx) { return save_progress_of(tx, reports, batch, params_.limits); });
        for (std::size_t i = 0; i < batch.size(); ++i) answers[batch[i]] = saved[i];
    }
    return answers;
}

std::vector<Fenced> PostgresStore::append_logs(const std::vector<LogChunk>& chunks) {
    std::vector<Fenced> answers(chunks.size());
    for (const auto& batch : batches_of(chunks)) {
        const auto rows = work_.run({append_command(chunks, batch)}, Effect::Writes);
        const auto texts = rows.front()[0].strings(0);
        for (std::size_t i = 0; i < batch.size(); ++i) answers[batch[i]] = read_fenced(texts[i]);
        bell_.ring({.done = true});  // wakes the readers that follow the log
    }
    return answers;
}

std::vector<store::LogRecord> PostgresStore::read_logs(const store::ReadLogsParams& params) {
    return work_
        .read("SELECT " HOLDFAST_LOG_COLUMNS " FROM holdfast.log WHERE task_id = $1 AND id > $2 ORDER BY id LIMIT $3",
              params.task, params.after_offset, static_cast<std::int64_t>(params.limit))
        .all(store::read_log);
}

}  // namespace holdfast::postgres
