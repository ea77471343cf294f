#include "cli/ids.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/terminal/words.h"
#include "client/operations.h"
#include "views/worker.h"

namespace holdfast::cli {

namespace {

constexpr std::size_t candidates_shown = 5;

void require_id(std::string_view kind, const std::string& text) {
    if (may_begin_an_id(text)) return;
    throw BadInput(
        fmt::format("'{}' is not a {} id; an id, or the beginning of one, consists of the digits 0-9 and a-f and "
                    "dashes ('holdfast {}s list' shows them)",
                    text, kind, kind));
}

std::string nothing_begins_so(std::string_view kind, const std::string& prefix) {
    return fmt::format("there is no {} whose id begins with '{}'; 'holdfast {}s list' shows those there are", kind,
                       prefix, kind);
}

[[noreturn]] void refuse_ambiguous(std::string_view kind, const std::string& prefix,
                                   std::vector<std::string> candidates) {
    if (candidates.size() > candidates_shown) candidates.back() = "...";
    throw BadInput(fmt::format("'{}' begins the id of more than one {}; give more digits: {}", prefix, kind,
                               join(candidates, ", ")));
}

std::string candidate(const Uuid& id, std::string_view name, std::string_view state) {
    return fmt::format("{} ({}, {})", id.to_string(), name, state);
}

// ---- Workers ------------------------------------------------------------------------------------

using Workers = std::vector<store::WorkerRecord>;

template <typename Wanted>
Workers only(const Workers& workers, Wanted wanted) {
    Workers found;
    std::ranges::copy_if(workers, std::back_inserter(found), wanted);
    return found;
}

Workers matching(const Workers& all, const std::string& text, Likely likely) {
    Workers named = only(all, [&](const auto& worker) { return worker.registration.name == text; });
    Workers likelier =
        only(named, [&](const auto& worker) { return views::has_left(worker) == (likely == Likely::Left); });
    if (!likelier.empty()) return likelier;
    if (!named.empty() || text.empty()) return named;
    return only(all, [&](const auto& worker) { return worker.registration.id.to_string().starts_with(text); });
}

store::WorkerRecord only_one(const Workers& found, const std::string& text) {
    if (found.empty())
        throw NotFound(
            fmt::format("there is no worker '{}'; 'holdfast workers list --all' shows those there are", text));
    if (found.size() == 1) return found.front();
    std::vector<std::string> candidates;
    for (const auto& worker : found)
        candidates.push_back(candidate(worker.registration.id, worker.registration.name, word_of(worker.status)));
    throw BadInput(fmt::format("'{}' is more than one worker; give an id: {}", text, join(candidates, ", ")));
}

}  // namespace

store::TaskRecord resolve_task(store::ClientStore& store, const std::string& id_or_prefix) {
    if (const auto id = Uuid::parse(id_or_prefix)) return client::find_one(store, *id);
    require_id("task", id_or_prefix);
    store::ListParams params;
    params.filter.id_prefix = id_or_prefix;
    params.limit = candidates_shown + 1;
    auto found = store.list(params);
    if (found.empty()) throw UnknownTask(nothing_begins_so("task", id_or_prefix));
    if (found.size() == 1) return std::move(found.front());
    std::vector<std::string> candidates;
    for (const auto& record : found)
        candidates.push_back(candidate(record.task.id, record.task.name, to_text(record.state)));
    refuse_ambiguous("task", id_or_prefix, std::move(candidates));
}

std::vector<Uuid> resolve_tasks(store::ClientStore& store, const std::vector<std::string>& ids) {
    std::vector<Uuid> tasks;
    for (const auto& id : ids) tasks.push_back(resolve_task(store, id).task.id);
    return tasks;
}

JobInfo resolve_job(store::ClientStore& store, const std::string& id_or_prefix) {
    if (const auto id = Uuid::parse(id_or_prefix)) return client::find_one_job(store, *id);
    require_id("job", id_or_prefix);
    const auto found = store.jobs_with_prefix(id_or_prefix, candidates_shown + 1);
    if (found.empty()) throw UnknownJob(nothing_begins_so("job", id_or_prefix));
    if (found.size() == 1) return client::find_one_job(store, found.front());
    std::vector<std::string> candidates;
    for (const auto& job : store.find_jobs(found))
        if (job) candidates.push_back(candidate(job->id, job->workflow, to_text(job->state)));
    refuse_ambiguous("job", id_or_prefix, std::move(candidates));
}

std::vector<Uuid> resolve_jobs(store::ClientStore& store, const std::vector<std::string>& ids) {
    std::vector<Uuid> jobs;
    for (const auto& id : ids) jobs.push_back(resolve_job(store, id).id);
    return jobs;
}

std::vector<store::WorkerRecord> resolve_workers(store::ClientStore& store, const std::vector<std::string>& names,
                                                 Likely likely) {
    const Workers all = store.workers();
    Workers resolved;
    for (const auto& name : names) resolved.push_back(only_one(matching(all, name, likely), name));
    return resolved;
}

store::ScheduleRecord find_schedule(store::ClientStore& store, const std::string& name) {
    std::vector<std::string> names;
    for (auto& record : store.schedules()) {
        if (record.schedule.name == name) return std::move(record);
        names.push_back(record.schedule.name);
    }
    throw NotFound(fmt::format("there is no schedule '{}'{}; 'holdfast schedules list' shows those there are", name,
                               suggestion(name, names)));
}

ExitCode report_steered(const Session& session, std::string_view kind, const std::vector<Uuid>& ids,
                        const std::vector<Steered>& steered) {
    ExitCode worst = ExitCode::Done;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto& [status, sentence, code] = steered[i];
        const std::string id = ids[i].to_string();
        if (session.globals.json) session.print(Json{{"id", id}, {"status", status}});
        if (code != ExitCode::Done)
            session.io.err << fmt::format("holdfast: {} {} {}\n", kind, id, sentence);
        else if (!session.globals.json)
            session.io.out << fmt::format("{} {} {}\n", kind, id, sentence);
        worst = std::max(worst, code);
    }
    return worst;
}

}  // namespace holdfast::cli
