#include <fmt/format.h>

#include <charconv>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/terminal/words.h"
#include "server/remote/server_link.h"
#include "views/audit.h"

namespace holdfast::cli {

namespace {

struct AuditFlags {
    std::string who, kind, queue, task, job, worker, text, since, until, after;
    std::string limit = "50";
};

/// A time, or how long ago.
std::string moment_text(std::string_view option, const std::string& given, Timestamp now) {
    if (given.empty()) return "";
    if (parse_timestamp(given)) return given;
    return format_timestamp(now - read_duration(option, given));
}

std::optional<Uuid> id_if_given(std::string_view option, const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(read_uuid(option, text));
}

std::optional<std::int64_t> line_if_given(const std::string& text) {
    if (text.empty()) return std::nullopt;
    std::int64_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault == std::errc() && end == text.data() + text.size()) return number;
    throw BadInput(fmt::format("--after: '{}' is not the number of a line", text));
}

views::AuditPage search_in_store(const Session& session, const AuditFlags& flags) {
    const auto store = session.open_store_itself(session.load_config(), Access::AsItIs);
    const Timestamp now = store->now();
    const views::AuditFilter filter{.who = flags.who,
                                    .kind = flags.kind,
                                    .queue = flags.queue,
                                    .text = flags.text,
                                    .task = id_if_given("--task", flags.task),
                                    .job = id_if_given("--job", flags.job),
                                    .worker = id_if_given("--worker", flags.worker),
                                    .since = parse_timestamp(moment_text("--since", flags.since, now)),
                                    .until = parse_timestamp(moment_text("--until", flags.until, now))};
    return views::search_audit(*store, filter, line_if_given(flags.after), read_limit(flags.limit));
}

views::AuditPage search_at_server(remote::ServerLink& server, const AuditFlags& flags) {
    const Timestamp now = server.now();
    return remote::search_audit(server, {{"who", flags.who},
                                         {"kind", flags.kind},
                                         {"queue", flags.queue},
                                         {"text", flags.text},
                                         {"task", flags.task},
                                         {"job", flags.job},
                                         {"worker", flags.worker},
                                         {"since", moment_text("--since", flags.since, now)},
                                         {"until", moment_text("--until", flags.until, now)},
                                         {"after", flags.after},
                                         {"limit", std::to_string(read_limit(flags.limit))}});
}

/// "{"paused":false} -> {"paused":true}"
std::string change_text(const views::AuditLine& line) {
    if (line.before.empty() && line.after.empty()) return "";
    const auto shown = [](const std::string& value) { return value.empty() ? std::string("-") : value; };
    return fmt::format("{} -> {}", shown(line.before), shown(line.after));
}

Row audit_row(const views::AuditLine& line) {
    return {{format_timestamp(line.at)},
            {line.who},
            {line.from.empty() ? "-" : line.from},
            {line.kind},
            {line.message},
            {change_text(line), Tone::Faint}};
}

ExitCode search_audit(Session& session, const AuditFlags& flags) {
    const auto server = session.server();
    const auto page = server ? search_at_server(*server, flags) : search_in_store(session, flags);
    using enum Column::Room;
    session.list({"AT", "WHO", {"FROM", Shortened}, "ORDER", {"WHAT", Shortened}, {"CHANGED", WideOnly}}, page.lines,
                 audit_row, "no such order was given, or it is older than retention.audit_hours");
    if (page.next && session.io.terminal && !session.globals.json)
        session.io.out << paint(session.io, Tone::Faint, fmt::format("there may be more: --after {}", *page.next))
                       << '\n';
    return ExitCode::Done;
}

}  // namespace

void add_audit(Command& program) {
    auto [audit, flags] = program.add("audit", "Who gave which order, from where, and what it changed", search_audit);
    audit.text("--who", flags.who, "TEXT", "Part of who or from where");
    audit.text("--kind", flags.kind, "WORD", "Only this order: queue_paused, token_created ...");
    audit.text("--queue", flags.queue, "NAME", "Only orders to this queue");
    audit.text("--task", flags.task, "ID", "Only orders to this task");
    audit.text("--job", flags.job, "ID", "Only orders to this job");
    audit.text("--worker", flags.worker, "ID", "Only orders to this worker");
    audit.text("--text", flags.text, "TEXT", "Part of the message or of the values");
    audit.text("--since", flags.since, "TIME", "Given then or later: a time, or how long ago, as 24h");
    audit.text("--until", flags.until, "TIME", "Given before: a time, or how long ago");
    audit.text("--after", flags.after, "NUMBER", "The last line of the page before");
    audit.examples({"holdfast audit --since 24h --who alice", "holdfast audit --kind queue_paused --queue mail"});
    audit.text("--limit", flags.limit, "N", "At most so many, 1 to 1000 (default: 50)");
}

}  // namespace holdfast::cli
