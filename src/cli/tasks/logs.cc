#include <ostream>

#include "cli/commands.h"
#include "cli/ids.h"
#include "cli/terminal/json_shapes.h"
#include "client/task_operations.h"

namespace holdfast::cli {

namespace {

struct LogsCommand {
    std::string id;
    bool follow = false;
    bool raw = false;
};

// Prints the log since the last call.
class LogReader {
public:
    LogReader(const Session& session, store::ClientStore& store, const Uuid& task, bool raw)
        : session_(session), store_(store), task_(task), raw_(raw) {}

    void print_new() {
        constexpr std::size_t page_size = 1000;
        for (;;) {
            const auto page = store_.read_logs({.task = task_, .after_offset = offset_, .limit = page_size});
            for (const auto& record : page) print(record);
            if (!page.empty()) offset_ = page.back().offset;
            if (page.size() < page_size) break;
        }
        session_.io.out.flush();
    }

private:
    void print(const store::LogRecord& record) {
        std::ostream& out = session_.io.out;
        if (session_.globals.json) {
            out << to_json_shape(record).dump() << '\n';
            return;
        }
        if (raw_) {
            session_.io.raw << record.chunk.text;
            return;
        }
        const bool is_error = record.chunk.stream == "stderr";
        out << paint(session_.io, is_error ? Tone::Bad : Tone::Plain, record.chunk.text);
    }

    const Session& session_;
    store::ClientStore& store_;
    const Uuid task_;
    const bool raw_;
    std::int64_t offset_ = 0;
};

// The state is read before the logs, because a run stores its logs before its end.
void follow(store::ClientStore& store, const Uuid& task, LogReader& reader) {
    const auto watch = store.watch(store::Topic::Done);
    for (;;) {
        const bool has_ended = is_terminal(client::find_one(store, task).state);
        reader.print_new();
        if (has_ended) return;
        (void)watch->wait(std::chrono::seconds(1));
    }
}

ExitCode print_task_logs(Session& session, const LogsCommand& command) {
    if (command.raw && session.globals.json) throw BadInput("--raw and --json exclude each other");
    const auto store = session.open_store(Access::AsItIs);
    const Uuid task = resolve_task(*store, command.id).task.id;
    LogReader reader(session, *store, task, command.raw);
    if (command.follow)
        follow(*store, task, reader);
    else
        reader.print_new();
    return ExitCode::Done;
}

}  // namespace

void add_tasks_logs(Command& tasks) {
    auto [command, given] = tasks.add("logs", "What the runs of a task printed", print_task_logs);
    command.argument("ID", given.id, "Its id, or the beginning of it");
    command.flag("-f,--follow", given.follow, "Go on until the task has ended");
    command.flag("--raw", given.raw, "As the runs printed it, with every byte that a terminal would act upon");
}

}  // namespace holdfast::cli
