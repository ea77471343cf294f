#include "core/task/task_options.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "core/public_words.h"
#include "core/task/settlement.h"
#include "holdfast/errors.h"

namespace holdfast::core {

namespace {

using namespace std::chrono_literals;

constexpr Duration longest_delay = 24h * 30;

template <auto... Path>
constexpr OptionAt<SubmitOptions, Path...> in_submit{};
template <auto Member>
constexpr OptionAt<SubmitOptions, &SubmitOptions::policy, Member> in_policy{};
template <auto Member>
constexpr OptionAt<SubmitOptions, &SubmitOptions::policy, &TaskPolicy::retry, Member> in_retry{};
template <auto Member>
constexpr OptionAt<SubmitOptions, &SubmitOptions::concurrency, Member> in_key{};
template <auto Member>
constexpr OptionAt<TaskSpec, Member> in_spec{};

using Rows = std::vector<TaskOption>;

Rows routing() {
    using enum OptionType;
    Rows rows = {
        {in_submit<&SubmitOptions::queue>("queue", Name, {}, "nightly", "The queue that the task goes to.")},
        {in_submit<&SubmitOptions::priority>("priority", Count, {1, 100}, "10", "Lower goes first.")},
        {in_submit<&SubmitOptions::tags>("tags", NameList, {0, 60}, "[db]",
                                         "Tags that its worker must carry, beside those that its kind needs."),
         "--tag"},
    };
    rows.back().adds = true;
    return rows;
}

Rows policies() {
    using enum OptionType;
    Rows rows = {
        {in_policy<&TaskPolicy::timeout>("timeout", Duration, {1ms, 24h * 7}, "10m",
                                         "The longest that one attempt may run; else the worker's `task_timeout`."),
         "--attempt-timeout"},
        {in_retry<&RetryPolicy::max_attempts>("max_attempts", Count, {1, 1000}, "5",
                                              "All attempts together; 1: no retry."),
         "", "retry.max_attempts"},
        {in_retry<&RetryPolicy::delays>("retry_delays", DurationList, {0s, longest_delay}, "[1s, 10s, 1m]",
                                        "How long each retry waits; the last one repeats."),
         "--retry-delay", "retry.delays"},
        {in_retry<&RetryPolicy::base>("retry_base", Duration, {0s, longest_delay}, "2s",
                                      "Without `retry_delays`: how long the first retry waits."),
         "", "retry.base"},
        {in_retry<&RetryPolicy::factor>("retry_factor", Number, {100, 100'00}, "1.5",
                                        "Without `retry_delays`: each further retry waits this many times longer."),
         "", "retry.factor"},
        {in_retry<&RetryPolicy::cap>("retry_cap", Duration, {0s, longest_delay}, "1h",
                                     "Without `retry_delays`: the longest that a retry waits."),
         "", "retry.cap"},
        {in_retry<&RetryPolicy::jitter>("retry_jitter", Number, {0, 100}, "0.2",
                                        "Each wait varies at random by this part of it."),
         "", "retry.jitter"},
        {in_retry<&RetryPolicy::retry_on>(
             "retry_on", NameList, {0, 100}, "[TASK_TIMEOUT]",
             "Retry only after these error codes; else after any. Not `WORKER_CRASHED`, about which `on_crash` "
             "decides, nor `ARGS_NOT_READABLE`, which is never retried."),
         "", "retry.retry_on"},
        {in_policy<&TaskPolicy::on_crash>("on_crash", Choice, {}, "requeue",
                                          "What becomes of the task when its worker dies.")},
        {in_policy<&TaskPolicy::max_crashes>("max_crashes", Count, {0, 1000}, "1",
                                             "How often `requeue` may run the task again.")},
        {in_policy<&TaskPolicy::fence>("fence", Choice, {}, "stop",
                                       "What its worker does with the task when it loses touch with the store; auto: "
                                       "stops a task that another worker could be given.")},
        {in_policy<&TaskPolicy::unmatched>("unmatched", Choice, {}, "fail",
                                           "What becomes of the task when no worker can run it.")},
    };
    rows.back().internal_word = word_of(Unmatched::Auto);
    for (TaskOption& row : rows) row.is_policy = true;
    return rows;
}

Rows concurrencies() {
    using enum OptionType;
    return {
        {in_key<&ConcurrencyKey::key>("concurrency_key", Text, {}, "\"db-{{ input.db }}\"",
                                      "Tasks of one queue with the same key share its slots."),
         "", "concurrency.key"},
        {in_key<&ConcurrencyKey::limit>("concurrency_limit", Count, {1, 10'000}, "2",
                                        "How many slots to ask for; a limit that is declared or in force wins."),
         "", "concurrency.limit"},
    };
}

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
constexpr Range memory_range = {6 * mebibyte, mebibyte << 30};  // container engines accept no less
constexpr Range processes_range = {1, 1 << 22};                 // the kernel's own limit of pids

std::vector<OptionOf<TaskSpec>> specification() {
    using enum OptionType;
    return {
        in_spec<&TaskSpec::kind>(
            "type", Choice, {}, "docker",
            "What the task is: a script; a container that runs an image's command; a pod; a function of an "
            "application, for which the file gives only the keys below `network`."),
        in_spec<&TaskSpec::runner>("runner", Choice, {}, "docker",
                                   "Where a script runs: on the worker, or in a container."),
        in_spec<&TaskSpec::script>("script", Text, {}, "pg_dump $DB > dump.sql",
                                   "The script: run by what its `#!` line names, else by `sh`."),
        in_spec<&TaskSpec::image>("image", Text, {}, "debian:12", "The image of the container."),
        in_spec<&TaskSpec::command>(
            "command", TextList, {0, 1000}, "[make, \"{{ input.target }}\"]",
            "What `type: docker` and `type: pod` run; else the image's own command. `{{ input.x }}` is filled."),
        in_spec<&TaskSpec::env>("env", TextMap, {0, 1000}, "{DB: \"{{ input.db }}\"}",
                                "Environment variables. `{{ input.x }}` in their values is filled."),
        in_spec<&TaskSpec::secrets>(
            "secrets", TextMap, {0, 1000}, "{PGPASSWORD: \"file:/run/secrets/db\"}",
            "Environment variables whose values the worker reads when a run begins: `env:VARIABLE` of its own "
            "environment, or `file:/path`. The store, the API and logs never see the values."),
        in_spec<&TaskSpec::dir>("dir", Text, {}, "/srv/backup",
                                "The working directory, an absolute path. A local script without one gets a fresh, "
                                "empty directory, which is removed afterwards."),
        in_spec<&TaskSpec::volumes>(
            "volumes", TextList, {0, 1000}, "[\"/data:/data:ro\"]",
            "What a container sees of its host: `/host/path:/container/path`, with `:ro` read-only."),
        in_spec<&TaskSpec::memory_bytes>("memory", Size, memory_range, "512MiB",
                                         "The memory that the task and all that it starts may use."),
        in_spec<&TaskSpec::cpus>("cpus", Number, {1, 4096'00}, "1.5",
                                 "How many processors a container may keep busy."),
        in_spec<&TaskSpec::max_processes>("max_processes", Count, processes_range, "100",
                                          "How many processes and threads it may have at once."),
        in_spec<&TaskSpec::network>("network", Text, {}, "none", "The container's network, as its engine names it."),
    };
}

/// With the names that follow from the name of its key.
TaskOption completed(TaskOption row) {
    if (row.member.empty()) row.member = row.name;
    if (row.flag.empty()) {
        row.flag = concat("--", row.name);
        std::ranges::replace(row.flag, '_', '-');
    }
    return row;
}

}  // namespace

const std::vector<TaskOption>& task_options() {
    static const Rows table = [] {
        Rows all;
        for (Rows& part : std::array{routing(), policies(), concurrencies()})
            for (TaskOption& row : part) all.push_back(completed(std::move(row)));
        return all;
    }();
    return table;
}

const std::vector<OptionOf<TaskSpec>>& spec_options() {
    static const std::vector<OptionOf<TaskSpec>> table = specification();
    return table;
}

std::string option_defect(const TaskOption& option, std::string_view name, const OptionValue& value) {
    if (option.name == "retry_on")
        for (const std::string& code : std::get<std::vector<std::string>>(value))
            if (const auto why = why_never_retried(code); !why.empty())
                return concat(name, " cannot name ", code, ": ", why);
    return range_defect(option, name, value);
}

void override_with(const TaskOption& option, std::string_view name, OptionValue value, SubmitOptions& options) {
    if (option.adds) {
        auto all = std::get<std::vector<std::string>>(option.get(options));
        for (std::string& added : std::get<std::vector<std::string>>(value)) all.push_back(std::move(added));
        value = std::move(all);
    } else if (const std::string defect = option_defect(option, name, value); !defect.empty()) {
        throw BadInput(defect);
    }
    option.set(options, value);
}

std::string meaning_with(std::string TaskOption::*names, const TaskOption& option) {
    std::string text(option.meaning);
    for (const TaskOption& other : task_options()) {
        const std::string quoted = concat('`', other.name, '`');
        for (std::size_t at = text.find(quoted); at != std::string::npos; at = text.find(quoted, at + 1))
            text.replace(at + 1, other.name.size(), other.*names);
    }
    return text;
}

}  // namespace holdfast::core
