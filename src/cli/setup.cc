#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/assert.h"
#include "cli/commands.h"
#include "cli/tasks/timeline.h"
#include "client/connect.h"
#include "server/remote/server_link.h"
#include "store/roles.h"
#include "views/configuration.h"
#include "views/readiness.h"

namespace holdfast::cli {

namespace {

// ---- The configuration ----------------------------------------------------------------------------

ExitCode print_complaints(const Session& session, const config::ConfigErrors& errors) {
    for (const auto& error : errors) session.io.err << "holdfast: " << to_text(error) << '\n';
    if (session.globals.json)
        session.print(
            Json{{"valid", false}, {"file", nullptr}, {"errors", array_of(errors)}, {"warnings", Json::array()}});
    return ExitCode::BadUsage;
}

ExitCode check_config(Session& session, const std::string& file_to_check) {
    if (!file_to_check.empty()) session.globals.config = file_to_check;
    const auto loaded = session.try_config();
    if (!loaded) return print_complaints(session, loaded.error());
    const std::string& file = loaded->file;
    for (const auto& warning : loaded->warnings) session.io.err << "holdfast: warning: " << to_text(warning) << '\n';
    if (session.globals.json)
        session.print(Json{{"valid", true},
                           {"file", file.empty() ? Json() : Json(file)},
                           {"errors", Json::array()},
                           {"warnings", array_of(loaded->warnings)}});
    else
        session.io.out << (file.empty() ? "there is no configuration file; the defaults are valid\n"
                                        : file + " is valid\n");
    return ExitCode::Done;
}

ExitCode show_config(Session& session) {
    const config::Config config = session.load_config();
    return session.list({"KEY", "VALUE", "FROM"}, config.settings, [](const config::Setting& setting) {
        return Row{{setting.key}, {setting.value}, {to_text(setting.origin), Tone::Faint}};
    });
}

// ---- The store ------------------------------------------------------------------------------------

namespace fs = std::filesystem;
using store::Finding;
using enum store::Finding::Grade;
using Findings = std::vector<Finding>;

// A smaller clock error is irrelevant to a reader of timestamps.
constexpr Duration harmless_step = std::chrono::seconds(1);

// A clock that was set back is behind the timestamps that it wrote before.
Finding clock_finding(store::ClientStore& store) {
    const auto newest = store.list({.filter = {}, .after = {}, .limit = 1});
    const Duration ahead = newest.empty() ? Duration::zero() : newest.front().created_at - store.now();
    if (ahead <= harmless_step) return {Ok, "clock order", "no task is from the future", ""};
    return {Warning, "clock order", fmt::format("the newest task is {} from the future", rough_duration(ahead)),
            "the clock was set back, or is wrong on one machine: run a time service (NTP)"};
}

/// Once a token exists, servers on loopback require one, too.
Finding readable_tokens_finding(store::ClientStore& store) {
    const auto tokens = store.tokens();
    const Timestamp now = store.now();
    const auto valid =
        std::ranges::count(tokens, core::TokenState::Valid, [&](const auto& token) { return token.state_at(now); });
    if (tokens.empty())
        return {Ok, "tokens", "none was ever made: every caller of a server on loopback has full access", ""};
    if (valid > 0) return {Ok, "tokens", fmt::format("{} valid", valid), ""};
    return {Warning, "tokens", "none is valid any more: servers refuse every caller",
            "make one here, directly on the store: 'holdfast tokens create NAME --scope admin'"};
}

/// Of all roles only a server needs to read the tokens.
Finding tokens_finding(store::ClientStore& store) {
    try {
        return readable_tokens_finding(store);
    } catch (const Unusable&) {
        return {Ok, "tokens", "not visible to this user", ""};
    }
}

Finding folder_finding(const fs::path& folder) {
    if (access(folder.c_str(), F_OK) != 0)
        return {Problem, "folder", fmt::format("{} is missing", folder.string()), "create it"};
    if (access(folder.c_str(), R_OK | W_OK | X_OK) != 0)
        return {Problem, "folder", fmt::format("{} may not be written", folder.string()),
                fmt::format("give user {} write permission: SQLite makes files beside the database", geteuid())};
    return {Ok, "folder", fmt::format("{} may be written", folder.string()), ""};
}

Finding file_finding(const fs::path& file) {
    if (access(file.c_str(), F_OK) != 0)
        return {Problem, "file", fmt::format("{} is missing", file.string()), "'holdfast migrate' creates it"};
    if (access(file.c_str(), R_OK | W_OK) != 0)
        return {Problem, "file", fmt::format("{} may not be written", file.string()),
                fmt::format("give user {} read and write permission", geteuid())};
    return {Ok, "file", fmt::format("{} may be read and written", file.string()), ""};
}

/// Checks whether this process may use the file of an SQLite store and its folder, where SQLite creates
/// the files beside it. Inspects paths only and does not open a file. Returns an empty list for PostgreSQL.
Findings permission_findings(const std::string& store_url) {
    const client::StoreAddress address = client::parse_store_url(store_url);
    if (address.kind == client::StoreAddress::Kind::Postgres) return {};
    const fs::path file = fs::absolute(address.place);
    return {folder_finding(file.parent_path()), file_finding(file)};
}

Tone tone_of(Finding::Grade grade) {
    switch (grade) {
        case Ok:
            return Tone::Good;
        case Warning:
            return Tone::Busy;
        case Problem:
            return Tone::Bad;
    }
    HOLDFAST_ASSERT(false);
}

/// A line for each finding, and below it what to do.
void print_findings(const Session& session, const Findings& findings) {
    const Io& io = session.io;
    for (const Finding& finding : findings) {
        if (session.globals.json) {
            session.print(to_json_shape(finding));
            continue;
        }
        io.out << paint(io, tone_of(finding.grade), fmt::format("{:<9}", word_of(finding.grade)))
               << fmt::format("{:<20}{}\n", finding.what, visible_line(finding.found));
        if (!finding.advice.empty()) io.out << fmt::format("{:29}{}\n", "", visible_line(finding.advice));
    }
}

bool has_problem(const Findings& findings) {
    return std::ranges::find(findings, Problem, &Finding::grade) != findings.end();
}

void append(Findings& findings, const Findings& more) {
    findings.insert(findings.end(), more.begin(), more.end());
}

/// What to do about a concern; empty: its text says it.
std::string advice_on(const std::string& kind) {
    if (kind == "no_workers") return "start one: 'holdfast worker'";
    if (kind == "unmatched")
        return "'holdfast tasks list --state pending' names them, 'holdfast tasks show ID' says why";
    if (kind == "worker_stale") return "'holdfast recovery status' says what is known about it";
    return "";
}

/// Concerns about workers and recovery, and the number of tasks that wait for them.
struct WorkConcerns {
    std::vector<views::Concern> concerns;
    std::int64_t pending = 0;
};

bool is_about_work(const views::Concern& concern) {
    constexpr std::array<std::string_view, 4> kinds = {"nobody_sweeps", "no_workers", "unmatched", "worker_stale"};
    return std::ranges::find(kinds, concern.kind) != kinds.end();
}

/// A server is asked for its own view.
WorkConcerns read_work_concerns(const Session& session, const config::Config& config) {
    if (const auto server = session.server()) {
        const Json overview = server->get("/api/overview");
        return {views::from_json_shape<std::vector<views::Concern>>(overview.at("attention")),
                overview.at("tasks").at("pending").get<std::int64_t>()};
    }
    const auto store = session.open_store_itself(config, Access::AsItIs);
    auto readiness = views::read_readiness(*store, config.recovery);
    readiness.pending = store->count().pending;
    return {views::concerns_about(readiness), readiness.pending};
}

Findings work_findings(const Session& session, const config::Config& config) try {
    const WorkConcerns work = read_work_concerns(session, config);
    Findings findings;
    for (const views::Concern& concern : work.concerns)
        if (is_about_work(concern))
            findings.push_back({work.pending > 0 ? Problem : Warning, "work", concern.text, advice_on(concern.kind)});
    if (findings.empty()) findings.push_back({Ok, "work", "what waits can be run, and recovery is done", ""});
    return findings;
} catch (const Unusable&) {
    return {{Ok, "work", "not visible to this user", ""}};
}

void add_store_findings(const Session& session, store::ClientStore& store, Findings& findings) {
    findings.push_back({Ok, "store", store.describe(), ""});
    findings.push_back(clock_finding(store));
    if (!session.server()) findings.push_back(tokens_finding(store));
    append(findings, store.check_up());
}

Finding user_finding(const config::WorkerConfig& worker) {
    if (!worker.run_as.empty()) return {Ok, "tasks' user", "another than the worker's (worker.run_as)", ""};
    if (geteuid() != 0) return {Ok, "tasks' user", "that of the worker", ""};
    return {Warning, "tasks' user", "root, if a worker is started as this user",
            "set worker.run_as, or start workers as another user (docs/security.md)"};
}

struct DoctorFlags {
    std::string role;  ///< what the user of the store is to be; empty: what it was granted
};

/// Checks the privileges of a database user. An unreachable store is reported by the other checks.
Findings privilege_findings(const Session& session, const config::Config& config, const DoctorFlags& flags) {
    if (session.server()) return {};
    std::vector<store::Role> roles;
    if (const auto role = parse_word<store::Role>(flags.role)) roles.push_back(*role);
    try {
        return client::check_privileges(config.store.url, roles);
    } catch (const StoreError&) {
        return {};
    }
}

ExitCode doctor(Session& session, const DoctorFlags& flags) {
    const config::Config config = session.load_config();
    Findings findings = {{Ok, "configuration", config.file.empty() ? "defaults, no file" : config.file, ""},
                         user_finding(config.worker)};
    const Findings privileges = privilege_findings(session, config, flags);
    ExitCode code = ExitCode::Done;
    try {
        add_store_findings(session, *session.open_store(Access::AsItIs), findings);
        append(findings, work_findings(session, config));
        append(findings, privileges);
        if (has_problem(findings)) code = ExitCode::Failed;
    } catch (const StoreError& fault) {
        append(findings, permission_findings(config.store.url));
        append(findings, privileges);
        findings.push_back({Problem, "store", fault.what(), "nothing else can be checked until this is repaired"});
        code = ExitCode::StoreDown;
    }
    print_findings(session, findings);
    return code;
}

struct MigrateFlags {
    bool roles = false;
};

/// Makes the roles of the store. When its user may not, prints the SQL for an administrator who may.
bool make_roles(const Session& session, const std::string& store_url) {
    const client::RolesAnswer answer = client::make_roles(store_url);
    if (answer.refusal.empty()) return true;
    session.io.err
        << "holdfast: this user may not make the roles (" << answer.refusal
        << "): let an administrator of the database run the SQL that is printed here; no role was changed\n";
    session.io.out << answer.sql;
    return false;
}

ExitCode migrate(Session& session, const MigrateFlags& flags) {
    const config::Config config = session.load_config();
    const bool is_sqlite = client::parse_store_url(config.store.url).kind == client::StoreAddress::Kind::Sqlite;
    if (flags.roles && is_sqlite)
        throw BadInput("--roles is for PostgreSQL; the permissions of its file decide who may use an SQLite store");
    const auto store = session.open_store_itself(config, Access::CreateAndMigrate);
    const int version = store->migrate().to;
    if (flags.roles && !make_roles(session, config.store.url)) return ExitCode::Failed;
    const auto sentence = fmt::format("{} is at schema version {}", store->describe(), version);
    return session.tell(Json{{"store", store->describe()}, {"schema_version", version}},
                        flags.roles ? sentence + ", and its roles are up to date" : sentence);
}

}  // namespace

void add_config(Command& config) {
    auto [check, file] = config.add("check", "Say whether it is valid, or all that is wrong with it", check_config);
    check.text("-f,--file", file, "FILE", "Check this file instead of the one that commands would read");
    check.examples({"holdfast config check", "holdfast config check -f new.yaml"});
    config.add("show", "Every effective value, and where it came from", show_config);
}

void add_doctor(Command& program) {
    auto [command, given] =
        program.add("doctor", "Check store, schema, clock, permissions and settings, and say what to do", doctor);
    command.one_of("--role", given.role, all_words<store::Role>(),
                   "what the user of a PostgreSQL store is to be (default: what it was granted)");
    command.examples({"holdfast doctor", "holdfast doctor --store postgresql://worker@db/holdfast --role worker"});
}

void add_migrate(Command& program) {
    auto [command, given] = program.add("migrate", "Create the store's schema, or bring it up to date", migrate);
    command.flag("--roles", given.roles, "also create the roles of PostgreSQL and grant them their privileges");
    command.examples({"holdfast migrate", "holdfast migrate --store postgresql://owner@db/holdfast --roles"});
}

}  // namespace holdfast::cli
