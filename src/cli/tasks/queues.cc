#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ostream>

#include "base/name.h"
#include "base/text.h"
#include "cli/session.h"
#include "cli/terminal/json_shapes.h"

namespace holdfast::cli {

namespace {

ExitCode list(Session& session) {
    const auto store = session.open_store(Access::AsItIs);
    std::vector<std::vector<Cell>> rows;
    for (const auto& queue : store->queues()) {
        if (session.globals.json) session.io.out << to_json_shape(queue).dump() << '\n';
        rows.push_back({{queue.name},
                        queue.paused ? Cell{"paused", Tone::Bad} : Cell{"open", Tone::Good},
                        {std::to_string(queue.pending)},
                        {std::to_string(queue.in_flight)}});
    }
    if (session.globals.json) return ExitCode::Done;
    print_table(session.io, {"QUEUE", "STATUS", "PENDING", "IN FLIGHT"}, rows);
    if (rows.empty() && session.io.terminal) session.io.out << "no queues yet: the first submit makes one\n";
    return ExitCode::Done;
}

void require_queue_name(const std::string& queue) {
    if (queue.empty() || queue.size() > store::max_short_text_bytes)
        throw BadInput(fmt::format("the queue's name has {} bytes; allowed are 1 to {}", queue.size(),
                                   store::max_short_text_bytes));
    if (const auto defect = name_defect(queue)) throw BadInput(fmt::format("the queue's name {}", *defect));
}

ExitCode set_paused(Session& session, const std::string& queue, bool paused) {
    require_queue_name(queue);
    const auto store = session.open_store(Access::AsItIs);
    store->set_queue_paused(queue, paused, session.who());
    if (session.globals.json)
        session.io.out << Json{{"queue", queue}, {"paused", paused}}.dump() << '\n';
    else
        session.io.out << fmt::format(
            "queue {} {}\n", queue,
            paused ? "is paused: its tasks wait; what runs goes on" : "is open: its tasks are given out");
    return ExitCode::Done;
}

void add_switch(CLI::App& queues, Action& chosen, const char* word, const char* meaning, bool paused) {
    auto queue = std::make_shared<std::string>();
    auto* command = queues.add_subcommand(word, meaning);
    command->add_option("QUEUE", *queue, "Its name")->required()->type_name("");
    command->callback([queue, paused, &chosen] {
        chosen = [queue, paused](Session& session) { return set_paused(session, *queue, paused); };
    });
}

}  // namespace

void add_queues(CLI::App& program, Action& chosen) {
    auto* queues = program.add_subcommand("queues", "Look at queues, pause and resume them");
    queues->require_subcommand(1);
    queues->add_subcommand("list", "Every queue, and how much waits in it")->callback([&chosen] { chosen = list; });
    add_switch(*queues, chosen, "pause", "Give out none of its tasks; what runs goes on", true);
    add_switch(*queues, chosen, "resume", "Give out its tasks again", false);
}

}  // namespace holdfast::cli
