#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/session.h"

namespace holdfast::cli {

/// What the steps of a job, and of the jobs that these started, have printed: one stream in the order of time, each
/// line with its step's name before it ("fetch", "fetch[3]", "report/fetch").
class JobLogs {
public:
    struct Wanted {
        Uuid job;
        std::string step;      ///< only this one, which then needs no name before its lines, with its items or the
                               ///< steps of its job; empty: all
        bool follows = false;  ///< lines that are not finished wait for their end
        bool raw = false;      ///< bytes as they are
    };
    /// The session and the store outlive it.
    JobLogs(const Session& session, store::ClientStore& store, Wanted wanted)
        : session_(session),
          store_(store),
          job_(wanted.job),
          wanted_(std::move(wanted.step)),
          follows_(wanted.follows),
          raw_(wanted.raw) {}

    /// Prints what has been logged since the last call. False: nothing more will come. Throws BadInput for an unknown
    /// step.
    bool print_new();

private:
    struct Source {
        std::string path = {};
        Uuid task = {};
        bool has_ended = false;
        std::int64_t offset = 0;
        std::deque<store::LogRecord> page = {};
        std::string unfinished = {};  ///< of its last line
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
    std::map<Uuid, Source> sources_;  // by task; those that may have more to say
    std::set<Uuid> closed_;           // tasks of which all has been printed
    std::set<Uuid> ended_jobs_;       // ... and jobs
    std::set<std::string> known_steps_;
};

}  // namespace holdfast::cli
