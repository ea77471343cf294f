#include <set>

#include "store/admission.h"
#include "store/postgres/batches.h"
#include "store/postgres/endings.h"
#include "store/postgres/store_impl.h"
#include "store/rows.h"

namespace holdfast::postgres {

namespace {

using store::Fenced;
using store::LogChunk;

/// Batches in which no chunk occurs twice; in the order given.
std::vector<Batch> batches_of(const std::vector<LogChunk>& chunks) {
    std::set<std::tuple<Uuid, store::Lease, int>> seen;
    return split_batches(
        chunks.size(), [&] { seen.clear(); },
        [&](std::size_t i) { return !seen.emplace(chunks[i].task, chunks[i].lease, chunks[i].sequence).second; });
}

Command append_command(const Uuid& worker, const std::vector<LogChunk>& chunks, const Batch& batch) {
    auto params = columns(batch, [&](std::size_t index) {
        const auto& chunk = chunks[index];
        return std::tuple(chunk.task, chunk.lease, chunk.sequence,
                          store::readable_text(chunk.stream, store::max_short_text_bytes),
                          store::readable_text(chunk.text, std::string::npos), chunk.at);
    });
    params.add(worker);
    return {"SELECT holdfast.append_logs($7, $1, $2, $3, $4, $5, $6)", std::move(params)};
}

}  // namespace

Fenced read_fenced(std::string_view word) {
    if (word == "applied") return Fenced::Applied;
    if (word == "already") return Fenced::Already;
    return word == "withdrawn" ? Fenced::Withdrawn : Fenced::LeaseLost;
}

std::vector<Fenced> save_progress_of(Transaction& tx, const Uuid& worker,
                                     const std::vector<store::ProgressReport>& reports, const Batch& batch,
                                     const store::Limits& limits) {
    std::vector<Fenced> answers(batch.size(), Fenced::Refused);
    std::vector<std::size_t> sent;
    for (std::size_t i = 0; i < batch.size(); ++i)
        if (!store::refusal(reports[batch[i]], limits)) sent.push_back(i);
    if (sent.empty()) return answers;
    auto params = columns(sent, [&](std::size_t i) {
        const auto& report = reports[batch[i]];
        const auto text = report.fraction ? std::optional(report.text) : std::nullopt;
        return std::tuple(report.lease.task, report.lease.lease, report.fraction, text, report.checkpoint);
    });
    params.add(worker);
    const auto rows = tx.run(Command{"SELECT holdfast.save_progress($6, $1, $2, $3, $4, $5)", std::move(params)});
    const auto words = rows[0].strings(0);
    for (std::size_t i = 0; i < sent.size(); ++i) answers[sent[i]] = read_fenced(words[i]);
    return answers;
}

std::vector<Fenced> PostgresStore::save_progress(const Uuid& worker,
                                                 const std::vector<store::ProgressReport>& reports) {
    std::vector<Fenced> answers(reports.size());
    for (const auto& batch : batches_by_task(reports.size(), [&](std::size_t i) { return reports[i].lease.task; })) {
        const auto saved =
            transact([&](Transaction& tx) { return save_progress_of(tx, worker, reports, batch, params_.limits); });
        for (std::size_t i = 0; i < batch.size(); ++i) answers[batch[i]] = saved[i];
    }
    return answers;
}

std::vector<Fenced> PostgresStore::append_logs(const Uuid& worker, const std::vector<LogChunk>& chunks) {
    std::vector<Fenced> answers(chunks.size());
    for (const auto& batch : batches_of(chunks)) {
        const auto rows = work_.run({append_command(worker, chunks, batch)}, Effect::Writes);
        const auto texts = rows.front()[0].strings(0);
        for (std::size_t i = 0; i < batch.size(); ++i) answers[batch[i]] = read_fenced(texts[i]);
        bell_.ring({.done = true});  // wakes the readers that follow the log
    }
    return answers;
}

std::vector<store::LogRecord> PostgresStore::read_logs(const store::ReadLogsParams& params) {
    return work_.all("SELECT " HOLDFAST_LOG_COLUMNS
                     " FROM holdfast.log WHERE task_id = $1 AND id > $2 ORDER BY id LIMIT $3",
                     store::read_as<store::LogRecord>, params.task, params.after_offset, params.limit);
}

}  // namespace holdfast::postgres
