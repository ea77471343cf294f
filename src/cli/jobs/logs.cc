#include <fmt/format.h>

#include <ostream>

#include "cli/commands.h"
#include "cli/ids.h"
#include "cli/jobs/job_logs.h"
#include "cli/tasks/timeline.h"
#include "cli/terminal/json_shapes.h"
#include "cli/terminal/look_pace.h"
#include "client/job_operations.h"

namespace holdfast::cli {

namespace {

constexpr std::string_view server_step = "_server";

struct LogsCommand {
    std::string id;
    std::string step;
    bool follow = false;
    bool raw = false;
};

/// The events of the job and of its tasks.
class JobEvents {
public:
    JobEvents(const Session& session, store::ClientStore& store, const Uuid& job)
        : session_(session), store_(store), job_(job) {}

    /// Prints the events since the last call. Returns false when the job has ended.
    bool print_new() {
        constexpr std::size_t page_size = 1000;
        const bool has_ended = is_terminal(client::find_one_job(store_, job_).state);
        for (;;) {
            const auto page = store_.job_events({.job = job_, .after_id = last_, .limit = page_size});
            for (const auto& event : page) print(event);
            if (!page.empty()) last_ = page.back().id;
            if (page.size() < page_size) break;
        }
        session_.io.out.flush();
        return !has_ended;
    }

private:
    void print(const store::EventRecord& event) const {
        const Io& io = session_.io;
        if (session_.globals.json)
            io.out << views::dump_line(to_json_shape(views::WholeEvent{event})) << '\n';
        else
            print_entry(io, {event.at, event_text(event)});
    }

    const Session& session_;
    store::ClientStore& store_;
    const Uuid job_;
    std::int64_t last_ = 0;
};

template <typename Log>
void print_log(Log log, store::ClientStore& store, bool follow) {
    LookPace pace(store);
    while (log.print_new() && follow) {
        pace.rest();
        pace.begin();
    }
}

ExitCode print_job_logs(Session& session, const LogsCommand& command) {
    if (command.raw && session.globals.json) throw BadInput("--raw and --json exclude each other");
    const auto store = session.open_store(Access::AsItIs);
    const Uuid job = resolve_job(*store, command.id).id;
    if (command.step == server_step)
        print_log(JobEvents(session, *store, job), *store, command.follow);
    else
        print_log(JobLogs(session, *store, {job, command.step, command.follow, command.raw}), *store, command.follow);
    return ExitCode::Done;
}

}  // namespace

void add_jobs_logs(Command& jobs) {
    auto [command, given] = jobs.add("logs", "What the steps of a job printed, in order", print_job_logs);
    command.argument("ID", given.id, "Its id, or the beginning of it");
    command.text("--step", given.step, "NAME", "Only this step; _server: what the engine did to the job");
    command.flag("-f,--follow", given.follow, "Go on until the job has ended");
    command.flag("--raw", given.raw, "As the runs printed it, with every byte that a terminal would act upon");
}

}  // namespace holdfast::cli
