#include <fmt/format.h>

#include <ostream>

#include "base/name.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/terminal/json_shapes.h"

namespace holdfast::cli {

namespace {

ExitCode list_queues(Session& session) {
    const auto store = session.open_store(Access::AsItIs);
    std::vector<std::vector<Cell>> rows;
    for (const auto& queue : store->queues()) {
        if (session.globals.json) session.print(to_json_shape(queue));
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

ExitCode set_queue_paused(Session& session, const std::string& queue, bool paused) {
    require_queue_name(queue);
    const auto store = session.open_store(Access::AsItIs);
    store->set_queue_paused(queue, paused, session.who());
    session.tell(
        Json{{"queue", queue}, {"paused", paused}},
        fmt::format("queue {} {}", queue,
                    paused ? "is paused: its tasks wait; what runs goes on" : "is open: its tasks are given out"));
    return ExitCode::Done;
}

void add_switch(Command& queues, const char* word, const char* help, bool paused) {
    auto [command, queue] = queues.add<std::string>(word, help, [paused](Session& session, const std::string& name) {
        return set_queue_paused(session, name, paused);
    });
    command.argument("QUEUE", queue, "Its name");
}

}  // namespace

void add_queues(Command& queues) {
    queues.add("list", "Every queue, and how much waits in it", list_queues);
    add_switch(queues, "pause", "Give out none of its tasks; what runs goes on", true);
    add_switch(queues, "resume", "Give out its tasks again", false);
}

}  // namespace holdfast::cli
