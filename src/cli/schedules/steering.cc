#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/ids.h"
#include "cli/terminal/json_shapes.h"

namespace holdfast::cli {

namespace {

void tell(const Session& session, const std::string& name, const char* status, const char* sentence) {
    session.tell(Json{{"schedule", name}, {"status", status}}, fmt::format("schedule {} {}", name, sentence));
}

[[noreturn]] void refuse_missing(const std::string& name) {
    throw NotFound(fmt::format("schedule {} is not there any more", name));
}

void set_paused(const Session& session, const std::string& name, bool paused) {
    const auto store = session.open_store(Access::AsItIs);
    (void)find_schedule(*store, name);
    if (!store->set_schedule_paused(name, paused, session.who())) refuse_missing(name);
}

ExitCode pause_schedule(Session& session, const std::string& name) {
    set_paused(session, name, true);
    tell(session, name, "paused", "is paused: it starts no jobs; those that run go on");
    return ExitCode::Done;
}

ExitCode resume_schedule(Session& session, const std::string& name) {
    set_paused(session, name, false);
    tell(session, name, "resumed", "starts jobs again");
    return ExitCode::Done;
}

ExitCode remove_schedule(Session& session, const std::string& name) {
    const auto store = session.open_store(Access::AsItIs);
    (void)find_schedule(*store, name);
    if (!store->remove_schedule(name, session.who())) refuse_missing(name);
    tell(session, name, "removed", "is removed; its jobs stay");
    return ExitCode::Done;
}

void add_order(Command& schedules, const char* word, const char* help,
               ExitCode (*act)(Session&, const std::string&)) {
    auto [command, name] = schedules.add(word, help, act);
    command.argument("NAME", name, "Its name");
}

}  // namespace

void add_schedules_steering(Command& schedules) {
    add_order(schedules, "pause", "Let a schedule start no jobs", pause_schedule);
    add_order(schedules, "resume", "Let a paused schedule start jobs again", resume_schedule);
    add_order(schedules, "remove", "Forget a schedule; its jobs stay", remove_schedule);
}

}  // namespace holdfast::cli
