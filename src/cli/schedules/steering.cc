#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ostream>

#include "cli/schedules/commands.h"
#include "cli/schedules/schedule_view.h"

namespace holdfast::cli {

namespace {

void tell(const Session& session, const std::string& name, const char* status, const char* sentence) {
    if (session.globals.json)
        session.io.out << Json{{"schedule", name}, {"status", status}}.dump() << '\n';
    else
        session.io.out << fmt::format("schedule {} {}\n", name, sentence);
}

[[noreturn]] void refuse_missing(const std::string& name) {
    throw UnknownSchedule(fmt::format("schedule {} is not there any more", name));
}

ExitCode set_paused(Session& session, const std::string& name, bool paused) {
    const auto store = session.open_store(Access::AsItIs);
    (void)find_schedule(*store, name);
    if (!store->set_schedule_paused(name, paused, session.who())) refuse_missing(name);
    if (paused)
        tell(session, name, "paused", "is paused: it starts no jobs; those that run go on");
    else
        tell(session, name, "resumed", "starts jobs again");
    return ExitCode::Done;
}

ExitCode remove(Session& session, const std::string& name) {
    const auto store = session.open_store(Access::AsItIs);
    (void)find_schedule(*store, name);
    if (!store->remove_schedule(name, session.who())) refuse_missing(name);
    tell(session, name, "removed", "is removed; its jobs stay");
    return ExitCode::Done;
}

void add_word(CLI::App& schedules, Action& chosen, const char* word, const char* help,
              std::function<ExitCode(Session&, const std::string&)> act) {
    auto name = std::make_shared<std::string>();
    auto* command = schedules.add_subcommand(word, help);
    command->add_option("NAME", *name, "Its name")->required()->type_name("");
    command->callback([name, act = std::move(act), &chosen] {
        chosen = [name, act](Session& session) { return act(session, *name); };
    });
}

}  // namespace

void add_schedules_steering(CLI::App& schedules, Action& chosen) {
    add_word(schedules, chosen, "pause", "Let a schedule start no jobs",
             [](Session& session, const std::string& name) { return set_paused(session, name, true); });
    add_word(schedules, chosen, "resume", "Let a paused schedule start jobs again",
             [](Session& session, const std::string& name) { return set_paused(session, name, false); });
    add_word(schedules, chosen, "remove", "Forget a schedule; its jobs stay", remove);
}

}  // namespace holdfast::cli
