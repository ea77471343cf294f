#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/terminal/live_frame.h"
#include "store/client_store.h"

namespace holdfast::cli {

struct JobTree;

/// A step with the details that are shown below it.
struct StepNode {
    StepInfo info = {};
    std::string waits_for = {};                 ///< of a READY task: why it does not run; empty: not read
    std::string last_line = {};                 ///< the last line that its run printed; empty: none, or not read
    std::shared_ptr<const JobTree> child = {};  ///< nullptr: none, or not read
    std::vector<StepNode> items = {};           ///< of a for_each: items that run or have failed
    int more_items = 0;                         ///< ... and the number of those that were left out
};

/// A job with its steps and child jobs, as read at one time.
struct JobTree {
    JobInfo job = {};
    std::vector<StepNode> steps = {};
    Timestamp now = {};  ///< by the store's clock
};

/// The last line that each task has printed; each call reads only the new output.
class LastLines {
public:
    explicit LastLines(store::ClientStore& store) : store_(store) {}
    [[nodiscard]] std::string of(const Uuid& task);

private:
    struct Tail {
        std::int64_t offset = 0;
        std::string line;
        std::string unfinished;
    };
    static void read_on(Tail& tail, const std::string& text);

    store::ClientStore& store_;
    std::map<Uuid, Tail> tails_;
};

struct ReadTreeParams {
    bool with_items = false;
    std::function<bool(const StepInfo&)> wants_child = {};   ///< whether to read the child job of the step
    LastLines* last_lines = nullptr;                         ///< of RUNNING steps; nullptr: do not read them
    std::function<std::string(const Uuid&)> waits_for = {};  ///< why the task of a READY step waits
};

/// Reads the tree. Throws UnknownJob.
[[nodiscard]] JobTree read_job_tree(store::ClientStore& store, const Uuid& job, const ReadTreeParams& params);

/// A line of a tree of steps.
struct TreeLine {
    ViewLine pieces = {};
    bool is_busy = false;  ///< active or failed: left out last
};

/// Returns the job and its steps in the order of their definition: state, duration and details such as progress, the
/// last printed line, the counts of a for_each, errors or a pending approval. Child jobs follow their steps. Pure.
[[nodiscard]] std::vector<TreeLine> tree_lines(const JobTree& tree, bool utf8);

/// Prints the whole tree, in colour where supported.
void print_tree(const Io& io, const JobTree& tree);

/// The counts of a for_each: "3 of 10 COMPLETED, 2 RUNNING".
[[nodiscard]] std::string items_text(const StepCounts& items);

/// The duration of a run so far, or until its end: "12.3s"; empty when it has not begun.
[[nodiscard]] std::string run_time(const std::optional<Timestamp>& started, const std::optional<Timestamp>& finished,
                                   Timestamp now);

/// The command that decides an approval.
[[nodiscard]] std::string approve_command(const Uuid& job, const std::string& step);

/// Whether the step waits for a person's decision.
[[nodiscard]] bool waits_for_approval(const StepInfo& step);

}  // namespace holdfast::cli
