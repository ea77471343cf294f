#include "cli/tasks/task_log.h"

#include "cli/terminal/following.h"
#include "client/operations.h"
#include "views/task.h"

namespace holdfast::cli {

Tone tone_of_stream(const store::LogRecord& record) {
    return record.chunk.stream == "stderr" ? Tone::Bad : Tone::Plain;
}

bool TaskLog::print_new() {
    const bool has_ended = is_terminal(client::find_one(store_, task_).state);
    const auto read = [&](std::size_t limit) {
        return store_.read_logs({.task = task_, .after_offset = offset_, .limit = limit});
    };
    read_pages(read, [&](const store::LogRecord& record) {
        print(record);
        offset_ = record.offset;
    });
    session_.io.out.flush();
    return !has_ended;
}

void TaskLog::print(const store::LogRecord& record) const {
    const Io& io = session_.io;
    if (session_.globals.json)
        session_.print(to_json_shape(record));
    else if (raw_)
        io.raw << record.chunk.text;
    else
        io.out << paint(io, tone_of_stream(record), record.chunk.text);
}

}  // namespace holdfast::cli
