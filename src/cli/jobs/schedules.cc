#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/ids.h"
#include "cli/server/put_catalog.h"
#include "cli/tasks/timeline.h"
#include "client/catalog_changes.h"
#include "client/operations.h"
#include "server/remote/server_link.h"
#include "views/schedule.h"

namespace holdfast::cli {

namespace {

using views::ScheduleView;

// ---- List -----------------------------------------------------------------------------------------

Cell next_cell(const ScheduleView& view, Timestamp now) {
    if (!view.problem.empty()) return {view.problem, Tone::Bad};
    if (view.record.paused) return {"paused", Tone::Faint};
    return view.next.empty() ? Cell{"never"} : moment_cell(view.next.front(), now);
}

Row schedule_row(const ScheduleView& view, Timestamp now) {
    const auto& last = view.record.last_state;
    return {{view.record.schedule.name},
            {view.problem.empty() ? views::timing_text(view.timing) : ""},
            {view.workflow},
            next_cell(view, now),
            view.record.last_job.is_nil() ? Cell{} : id_cell(view.record.last_job),
            last ? state_cell(to_text(*last)) : Cell{}};
}

ExitCode list_schedules(Session& session) {
    const auto store = session.open_store(Access::AsItIs);
    const Timestamp now = store->now();
    std::vector<ScheduleView> schedules;
    for (const auto& record : store->schedules()) schedules.push_back(views::view_of(record, now, 1));
    using enum Column::Room;
    return session.list(
        {{"NAME", Shortened}, {"WHEN", Shortened}, {"WORKFLOW", Shortened}, {"NEXT", Shortened}, "LAST JOB", "STATE"},
        schedules, [now](const ScheduleView& view) { return schedule_row(view, now); }, "no schedules");
}

// ---- Show -----------------------------------------------------------------------------------------

constexpr int slots_shown = 5;

std::string last_of(const store::ScheduleRecord& record) {
    if (record.last_job.is_nil()) return "";
    return fmt::format("{}{}", record.last_job.to_string(),
                       record.last_state ? fmt::format(" ({})", to_text(*record.last_state)) : "");
}

void print_timing(const FieldPrinter& field, const core::ScheduleTiming& timing) {
    field("when", views::timing_text(timing));
    field("overlap", std::string(word_of(timing.overlap)));
    field("catch up", fmt::format("{} missed", timing.catch_up));
    if (timing.jitter > Duration::zero()) field("jitter", format_duration(timing.jitter));
}

void print_slots(const Io& io, const ScheduleView& view) {
    std::vector<Row> rows;
    for (const Timestamp slot : view.next)
        rows.push_back({{views::local_text(view.zone, slot)}, {format_timestamp(slot), Tone::Faint}});
    io.out << '\n';
    print_table(io, {Column(fmt::format("NEXT, IN {}", view.timing.zone)), "IN UTC"}, rows);
}

void print_schedule(const Io& io, const ScheduleView& view) {
    const store::ScheduleRecord& record = view.record;
    const FieldPrinter field(io);
    field("schedule", record.schedule.name, Tone::Strong);
    field("status", record.paused ? "paused: it starts no jobs" : "active");
    field("problem", view.problem, Tone::Bad);
    if (view.problem.empty()) print_timing(field, view.timing);
    field("workflow", view.workflow);
    field("input", record.schedule.input);
    field("created", format_timestamp(record.created_at));
    field("last job", last_of(record));
    if (!view.next.empty()) print_slots(io, view);
}

ExitCode show_schedule(Session& session, const std::string& name) {
    const auto store = session.open_store(Access::AsItIs);
    return session.show(views::view_of(find_schedule(*store, name), store->now(), slots_shown), print_schedule);
}

// ---- Apply, pause, resume, remove -----------------------------------------------------------------

ExitCode tell_schedule(const Session& session, const std::string& name, std::string_view status,
                       std::string_view sentence) {
    return session.tell(Json{{"schedule", name}, {"status", status}}, fmt::format("schedule {} {}", name, sentence));
}

client::ScheduleChanges applied(const Session& session, const config::Config& config, bool dry_run) {
    const auto wanted = definitions_of(config.schedules);
    if (const auto server = session.server()) return remote::apply_schedules(*server, wanted, dry_run);
    const auto store = session.open_store_itself(config, dry_run ? Access::AsItIs : Access::CreateAndMigrate);
    return dry_run ? client::compare_schedules(*store, wanted) : client::put_schedules(*store, wanted, session.who());
}

ExitCode apply_schedules(Session& session, bool dry_run) {
    const config::Config config = session.load_config_file();
    const client::ScheduleChanges changes = applied(session, config, dry_run);
    for (const auto& [name, change] : changes.configured)
        tell_schedule(session, name, word_of(change),
                      fmt::format("{} {}", dry_run ? "would be" : "is", word_of(change)));
    for (const std::string& name : changes.not_configured)
        tell_schedule(
            session, name, "not_configured",
            fmt::format("is not in {}, and stays; 'holdfast schedules remove {}' removes it", config.file, name));
    return ExitCode::Done;
}

/// Carries out an order to an existing schedule; `act` returns false when the schedule was removed meanwhile.
void steer_schedule(const Session& session, const std::string& name,
                    const std::function<bool(store::ClientStore&)>& act) {
    const auto store = session.open_store(Access::AsItIs);
    (void)find_schedule(*store, name);
    if (!act(*store)) throw NotFound(fmt::format("schedule {} is not there any more", name));
}

ExitCode pause_schedule(Session& session, const std::string& name) {
    steer_schedule(session, name, [&](auto& store) { return store.set_schedule_paused(name, true, session.who()); });
    return tell_schedule(session, name, "paused", "is paused: it starts no jobs; those that run go on");
}

struct ResumeScheduleFlags {
    std::string name;
    bool all = false;
};

ExitCode tell_resumed(const Session& session, const std::string& name) {
    return tell_schedule(session, name, "resumed", "starts jobs again");
}

ExitCode resume_all_schedules(Session& session) {
    const auto store = session.open_store(Access::AsItIs);
    for (const store::ScheduleRecord& record : store->schedules())
        if (record.paused && store->set_schedule_paused(record.schedule.name, false, session.who()))
            tell_resumed(session, record.schedule.name);
    return ExitCode::Done;
}

ExitCode resume_schedule(Session& session, const ResumeScheduleFlags& flags) {
    if (flags.all != flags.name.empty()) throw BadInput("name one schedule, or all of them with --all");
    if (flags.all) return resume_all_schedules(session);
    steer_schedule(session, flags.name,
                   [&](auto& store) { return store.set_schedule_paused(flags.name, false, session.who()); });
    return tell_resumed(session, flags.name);
}

ExitCode remove_schedule(Session& session, const std::string& name) {
    steer_schedule(session, name, [&](auto& store) { return store.remove_schedule(name, session.who()); });
    return tell_schedule(session, name, "removed", "is removed; its jobs stay");
}

// ---- Run now --------------------------------------------------------------------------------------

std::string start_job(const Session& session, const std::string& name) {
    const auto store = session.open_store(Access::AsItIs);
    const auto schedule = find_schedule(*store, name).schedule;
    if (const auto server = session.server())
        return server->post(remote::path_of({"schedules", name, "run"})).at("id").get<std::string>();
    const Uuid job = client::start_job(
        *store,
        {.id = {}, .definition = schedule.definition, .input = schedule.input, .who = session.who(), .retry_of = {}});
    return job.to_string();
}

ExitCode run_now(Session& session, const std::string& name) {
    const std::string job = start_job(session, name);
    return session.tell(Json{{"id", job}, {"schedule", name}}, job);
}

void add_for_one(Command& schedules, const char* word, const char* help,
                 ExitCode (*act)(Session&, const std::string&)) {
    auto [command, name] = schedules.add(word, help, act);
    command.argument("NAME", name, "Its name");
}

}  // namespace

void add_schedules(Command& schedules) {
    auto [apply, dry_run] =
        schedules.add("apply", "Put the schedules of the configuration file into the store", apply_schedules);
    apply.flag("--dry-run", dry_run, "Only say what would change");
    apply.examples({"holdfast schedules apply --dry-run", "holdfast schedules apply --config holdfast.yaml"});
    schedules.add("list", "Schedules, by name", list_schedules);
    add_for_one(schedules, "show", "One schedule, and when it starts its next five jobs", show_schedule);
    add_for_one(schedules, "pause", "Let a schedule start no jobs", pause_schedule);
    auto [resume, resume_flags] = schedules.add("resume", "Let a paused schedule start jobs again", resume_schedule);
    resume.optional_argument("NAME", resume_flags.name, "Its name");
    resume.flag("--all", resume_flags.all, "Every schedule that is paused");
    add_for_one(schedules, "remove", "Forget a schedule; its jobs stay", remove_schedule);
    add_for_one(schedules, "run-now", "Start a job of a schedule now, beside its slots; prints the job's id",
                run_now);
}

}  // namespace holdfast::cli
