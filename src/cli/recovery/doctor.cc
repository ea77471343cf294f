#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>

#include "base/assert.h"
#include "base/text.h"
#include "cli/recovery/store_permissions.h"
#include "cli/session.h"
#include "cli/tasks/timeline.h"
#include "cli/terminal/json_shapes.h"
#include "server/remote/server_link.h"

namespace holdfast::cli {

namespace {

using store::Finding;
using Findings = std::vector<Finding>;

// Below this a step of the clock confuses nobody who reads times.
constexpr Duration harmless_step = std::chrono::seconds(1);

// A clock that was set back shows in the times that it has stamped before.
Finding clock_finding(store::Store& store) {
    const auto newest = store.list({.filter = {}, .after = {}, .limit = 1});
    const Duration ahead = newest.empty() ? Duration::zero() : newest.front().created_at - store.now();
    if (ahead <= harmless_step) return {Finding::Grade::Ok, "clock order", "no task is from the future", ""};
    return {Finding::Grade::Warning, "clock order",
            fmt::format("the newest task is {} from the future", rough_duration(ahead)),
            "the clock was set back, or is wrong on one machine: run a time service (NTP)"};
}

/// Once a token has been made, servers on loopback ask for one, too.
Finding tokens_finding(store::Store& store) {
    const auto tokens = store.tokens();
    const Timestamp now = store.now();
    const auto valid = std::ranges::count_if(tokens, [&](const store::TokenRecord& record) {
        return !record.revoked_at && (!record.token.expires_at || *record.token.expires_at > now);
    });
    if (tokens.empty())
        return {Finding::Grade::Ok, "tokens", "none was ever made: a server on loopback lets everybody in", ""};
    if (valid > 0) return {Finding::Grade::Ok, "tokens", fmt::format("{} valid", valid), ""};
    return {Finding::Grade::Warning, "tokens", "none is valid any more: servers let nobody in",
            "make one here, directly on the store: 'holdfast tokens create NAME --scope admin'"};
}

Tone tone_of(Finding::Grade grade) {
    switch (grade) {
        case Finding::Grade::Ok:
            return Tone::Good;
        case Finding::Grade::Warning:
            return Tone::Busy;
        case Finding::Grade::Problem:
            return Tone::Bad;
    }
    HOLDFAST_ASSERT(false);
}

void print_findings(const Session& session, const Findings& findings) {
    std::vector<std::vector<Cell>> rows;
    for (const Finding& finding : findings) {
        if (session.globals.json) session.io.out << to_json_shape(finding).dump() << '\n';
        rows.push_back({{std::string(views::to_text(finding.grade)), tone_of(finding.grade)},
                        {finding.what},
                        {finding.found},
                        {finding.advice}});
    }
    if (!session.globals.json) print_table(session.io, {"GRADE", "WHAT", "FOUND", "WHAT TO DO"}, rows);
}

bool has_problem(const Findings& findings) {
    return std::any_of(findings.begin(), findings.end(),
                       [](const Finding& f) { return f.grade == Finding::Grade::Problem; });
}

void add_store_findings(const Session& session, store::Store& store, Findings& findings) {
    findings.push_back({Finding::Grade::Ok, "store", store.describe(), ""});
    findings.push_back(clock_finding(store));
    if (!session.server()) findings.push_back(tokens_finding(store));
    const Findings found = store.check_up();
    findings.insert(findings.end(), found.begin(), found.end());
}

ExitCode doctor(Session& session) {
    const config::Config config = session.load_config();
    Findings findings = {
        {Finding::Grade::Ok, "configuration", config.file.empty() ? "defaults, no file" : config.file, ""}};
    ExitCode code = ExitCode::Done;
    try {
        add_store_findings(session, *session.open_store(Access::AsItIs), findings);
        if (has_problem(findings)) code = ExitCode::Failed;
    } catch (const StoreError& fault) {
        const Findings permissions = permission_findings(config.store.url);
        findings.insert(findings.end(), permissions.begin(), permissions.end());
        findings.push_back(
            {Finding::Grade::Problem, "store", fault.what(), "nothing else can be checked until this is mended"});
        code = ExitCode::StoreDown;
    }
    print_findings(session, findings);
    return code;
}

}  // namespace

void add_doctor(CLI::App& program, Action& chosen) {
    program.add_subcommand("doctor", "Check store, schema, clock, permissions and settings, and say what to do")
        ->callback([&chosen] { chosen = doctor; });
}

}  // namespace holdfast::cli
