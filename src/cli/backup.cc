#include "client/backup.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"

namespace holdfast::cli {

namespace {

using store::CheckReport;
using store::RestartAnswer;

// ---- Check
// ------------------------------------------------------------------------------------------------------------

Json violation_shape(const store::Violation& violation) {
    const store::RuleText& rule = store::text_of(violation.rule);
    return {{"rule", rule.name},
            {"sentence", rule.sentence},
            {"count", violation.count},
            {"offenders", violation.offenders}};
}

Json check_shape(const CheckReport& check) {
    Json violations = Json::array();
    for (const store::Violation& violation : check.violations) violations.push_back(violation_shape(violation));
    return {{"tasks", check.tasks}, {"jobs", check.jobs}, {"violations", std::move(violations)}};
}

void print_violation(const Io& io, const store::Violation& violation) {
    const store::RuleText& rule = store::text_of(violation.rule);
    io.out << fmt::format("{} is broken ({}): {}\n", paint(io, Tone::Bad, rule.name), violation.count, rule.sentence);
    for (const std::string& offender : violation.offenders) io.out << "  " << visible_line(offender) << '\n';
    const auto more = violation.count - static_cast<std::int64_t>(violation.offenders.size());
    if (more > 0) io.out << fmt::format("  and {} more\n", more);
}

void print_violations(const Io& io, const CheckReport& check) {
    for (const store::Violation& violation : check.violations) print_violation(io, violation);
}

ExitCode code_of(const CheckReport& check) {
    return check.violations.empty() ? ExitCode::Done : ExitCode::Failed;
}

ExitCode check_store(Session& session) {
    const auto store = session.open_store_itself(session.load_config(), Access::AsItIs);
    const CheckReport check = store->check();
    if (session.globals.json) {
        session.print(check_shape(check));
        return code_of(check);
    }
    print_violations(session.io, check);
    if (check.violations.empty())
        session.io.out << fmt::format("{} is sound: {} tasks, {} jobs, {} rules checked\n", store->describe(),
                                      check.tasks, check.jobs, store::check_rules.size());
    return code_of(check);
}

// ---- Backup
// -----------------------------------------------------------------------------------------------------------

struct BackupFlags {
    std::string file;
    bool force = false;
};

std::string size_text(std::uintmax_t bytes) {
    return bytes < 1 << 20 ? fmt::format("{} KiB", (bytes + 1023) >> 10) : fmt::format("{} MiB", bytes >> 20);
}

std::string checked_text(const client::BackupAnswer& answer) {
    if (!answer.is_current)
        return fmt::format("read back; its schema version {} is not this program's, so only its pages were checked",
                           answer.schema);
    return answer.check.violations.empty() ? "read back and checked" : "read back, and has the faults of the store";
}

ExitCode tell_backup(const Session& session, const std::string& file, const client::BackupAnswer& answer) {
    if (session.globals.json) {
        Json shape = check_shape(answer.check);
        shape.update({{"file", file},
                      {"written", answer.is_written},
                      {"bytes", answer.bytes},
                      {"schema_version", answer.schema}});
        session.print(shape);
        return code_of(answer.check);
    }
    print_violations(session.io, answer.check);
    if (!answer.is_written)
        session.io.err << "holdfast: no backup was written: the store is damaged, and a copy of it would be, too; "
                          "restore the last backup\n";
    else if (answer.is_current)
        session.io.out << fmt::format("{}: {}, {} tasks, {} jobs; {}\n", file, size_text(answer.bytes),
                                      answer.check.tasks, answer.check.jobs, checked_text(answer));
    else
        session.io.out << fmt::format("{}: {}; {}\n", file, size_text(answer.bytes), checked_text(answer));
    return code_of(answer.check);
}

ExitCode back_up(Session& session, const BackupFlags& flags) {
    const config::Config config = session.load_config();
    return tell_backup(session, flags.file,
                       client::back_up({.url = config.store.url, .file = flags.file, .replaces = flags.force}));
}

// ---- Restore
// ----------------------------------------------------------------------------------------------------------

struct RestoreFlags {
    std::string file;
    bool replace = false;
    bool live = false;
    bool catch_up = false;
    bool accept_faults = false;
};

void print_paused(const Io& io, const RestartAnswer& answer, bool is_live) {
    if (is_live) {
        io.out << "nothing is paused: its tasks and schedules run as soon as a worker starts\n";
        return;
    }
    io.out << fmt::format("paused queues: {}\n", visible_line(join(answer.queues, ", ")));
    if (!answer.schedules.empty())
        io.out << fmt::format("paused schedules: {}\n", visible_line(join(answer.schedules, ", ")));
    io.out << fmt::format("to let it work: holdfast queues resume --all{}\n",
                          answer.schedules.empty() ? "" : "; holdfast schedules resume --all");
}

Json restored_shape(const RestartAnswer& answer, const std::string& store) {
    Json shape = check_shape(answer.check);
    shape.update({{"store", store},
                  {"restored", !answer.is_refused},
                  {"rank", answer.rank},
                  {"schema_version", answer.schema},
                  {"paused_queues", answer.queues},
                  {"paused_schedules", answer.schedules}});
    return shape;
}

ExitCode tell_restored(const Session& session, const std::string& store, const RestoreFlags& flags,
                       const RestartAnswer& answer) {
    const ExitCode code = answer.is_refused ? ExitCode::Failed : ExitCode::Done;
    if (session.globals.json) {
        session.print(restored_shape(answer, store));
        return code;
    }
    print_violations(session.io, answer.check);
    if (answer.is_refused) {
        session.io.err << fmt::format("holdfast: {} was not restored, and nothing was changed{}\n", flags.file,
                                      answer.check.violates(store::CheckRule::Pages)
                                          ? ": it is damaged"
                                          : "; to restore it with these faults: --accept-faults");
        return code;
    }
    session.io.out << fmt::format("{} is restored from {}: {} tasks, {} jobs, rank {}; checked\n", store, flags.file,
                                  answer.check.tasks, answer.check.jobs, answer.rank);
    if (answer.schema_before != answer.schema)
        session.io.out << fmt::format("its schema was brought from version {} to {}\n", answer.schema_before,
                                      answer.schema);
    print_paused(session.io, answer, flags.live);
    return code;
}

ExitCode restore(Session& session, const RestoreFlags& flags) {
    if (flags.catch_up && !flags.live)
        throw BadInput("--catch-up needs --live: a schedule that is resumed skips the slots of its pause");
    const config::Config config = session.load_config();
    const RestartAnswer answer = client::restore({.url = config.store.url,
                                                  .file = flags.file,
                                                  .replaces = flags.replace,
                                                  .restart = {.who = session.who(),
                                                              .file = flags.file,
                                                              .pauses = !flags.live,
                                                              .skips_slots = !flags.catch_up,
                                                              .accepts_faults = flags.accept_faults}});
    return tell_restored(session, mask_password(config.store.url), flags, answer);
}

}  // namespace

void add_backup(Command& program) {
    auto [backup, flags] = program.add("backup", "Copy the whole store, also while it is used, into a file", back_up);
    backup.argument("FILE", flags.file, "The file to write");
    backup.flag("--force", flags.force, "Replace the file if it exists");
    backup.examples({"holdfast backup /backup/holdfast.db", "holdfast backup /backup/holdfast.db --force"});
}

void add_restore(Command& program) {
    auto [command, flags] =
        program.add("restore", "Make a store of a backup, with all queues and schedules paused", restore);
    command.argument("FILE", flags.file, "A file that 'holdfast backup' wrote");
    command.flag("--replace", flags.replace, "Replace the store if there is one, with all of its tasks");
    command.flag("--live", flags.live, "Pause nothing");
    command.flag("--catch-up", flags.catch_up, "Run the slots of schedules that were missed since the backup");
    command.flag("--accept-faults", flags.accept_faults, "Restore a backup in which 'check' finds faults");
    command.examples({"holdfast restore /backup/holdfast.db --store sqlite:restored.db",
                      "holdfast restore /backup/holdfast.db --replace --catch-up"});
}

void add_check(Command& program) {
    program.add("check", "Read the whole store and report every fault in it", check_store);
}

}  // namespace holdfast::cli
