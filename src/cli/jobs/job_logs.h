#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/session.h"

namespace holdfast::cli {

/// Prints the output of the steps of a job and of its child jobs: one stream in chronological order, each line
/// prefixed with the name of its step ("fetch", "fetch[3]", "report/fetch").
class JobLogs {
public:
    struct Wanted {
        Uuid job;
        std::string step;      ///< only this one, which then needs no name before its lines, with its items or the
                               ///< steps of its job; empty: all
        bool follows = false;  ///< hold back an unfinished line until its end arrives
        bool raw = false;      ///< print bytes unchanged
    };
    /// The session and the store must outlive this object.
    JobLogs(const Session& session, store::ClientStore& store, Wanted wanted)
        : session_(session),
          store_(store),
          job_(wanted.job),
          wanted_(std::move(wanted.step)),
          follows_(wanted.follows),
          raw_(wanted.raw) {}

    /// Prints the output since the last call. Returns false when no more can follow. Throws BadInput for an unknown
    /// step.
    bool print_new();

private:
    struct Source {
        std::string path = {};
        Uuid task = {};
        bool has_ended = false;
        std::int64_t offset = 0;
        std::deque<store::LogRecord> page = {};
        std::string unfinished = {};  ///< the unfinished last line
    };

    bool collect(const Uuid& job, const std::string& above);
    void note_task(const StepInfo& step, const std::string& path);
    [[nodiscard]] bool is_wanted(const std::string& path) const;
    void require_wanted_step() const;
    void print_in_order();
    bool refill(Source& source);
    void print(Source& source, const store::LogRecord& record);
    void print_lines(Source& source, const store::LogRecord& record);
    void print_line(const Source& source, std::string_view line, Tone tone);

    const Session& session_;
    store::ClientStore& store_;
    const Uuid job_;
    const std::string wanted_;
    const bool follows_;
    const bool raw_;
    std::map<Uuid, Source> sources_;  // by task; only those that may print more
    std::set<Uuid> closed_;           // tasks that were printed completely
    std::set<Uuid> ended_jobs_;       // ... and jobs
    std::set<std::string> known_steps_;
};

}  // namespace holdfast::cli
