#include "config/task_keys.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "config/units.h"

namespace holdfast::config {

namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

using D = TaskDefinition;
using V = Value;

constexpr std::int64_t length(Duration duration) {
    return duration.count();
}

const std::string& text(const Value& value) {
    return std::get<std::string>(value);
}

int count(const Value& value) {
    return static_cast<int>(std::get<std::int64_t>(value));
}

/// A function has no specification to write into; the reader refuses such keys.
core::TaskSpec& spec(TaskDefinition& definition) {
    return definition.spec ? *definition.spec : definition.spec.emplace();
}

ConcurrencyKey& concurrency(TaskDefinition& definition) {
    auto& chosen = definition.options.concurrency;
    return chosen ? *chosen : chosen.emplace();
}

constexpr Field key(std::string_view name, FieldType type, std::string_view fallback, std::string_view meaning,
                    std::string_view example) {
    return {.section = "tasks",
            .name = name,
            .type = type,
            .fallback = fallback,
            .meaning = meaning,
            .source = {},
            .example = example};
}

constexpr Field ranged(Field field, std::int64_t least, std::int64_t most) {
    field.least = least;
    field.most = most;
    return field;
}

constexpr Field choice(std::string_view name, std::string_view words, std::string_view fallback,
                       std::string_view meaning, std::string_view example) {
    Field field = key(name, FieldType::Choice, fallback, meaning, example);
    field.words = words;
    return field;
}

constexpr std::int64_t longest_wait = length(hours(24 * 30));

const std::array table = {
    // ---- What to execute -----------------------------------------------------------------------------------------
    TaskKey{choice("type", "script, docker, pod, function", "script",
                   "What the task is: a script; a container that runs an image's command; a pod; a function of an "
                   "application, for which the file gives only the keys below `network`.",
                   "docker"),
            false,
            [](D& d, const V& v) {
                if (text(v) == "function")
                    d.spec.reset();
                else
                    spec(d).kind = parse_word<core::TaskKind>(text(v)).value();
            }},
    TaskKey{choice("runner", "local, docker, pod", "local", "Where a script runs: on the worker, or in a container.",
                   "docker"),
            true, [](D& d, const V& v) { spec(d).runner = parse_word<core::ScriptRunner>(text(v)).value(); }},
    TaskKey{key("script", FieldType::Text, "", "The script: run by what its `#!` line names, else by `sh`.",
                "pg_dump $DB > dump.sql"),
            true, [](D& d, const V& v) { spec(d).script = text(v); }},
    TaskKey{key("image", FieldType::Text, "", "The image of the container.", "debian:12"), true,
            [](D& d, const V& v) { spec(d).image = text(v); }},
    TaskKey{ranged(key("command", FieldType::TextList, "",
                       "What `type: docker` and `type: pod` run; else the image's own command. `{{ input.x }}` is filled.",
                       "[make, \"{{ input.target }}\"]"),
                   0, 1000),
            true, [](D& d, const V& v) { spec(d).command = std::get<std::vector<std::string>>(v); }},
    TaskKey{ranged(key("env", FieldType::TextMap, "",
                       "Environment variables. `{{ input.x }}` in their values is filled.",
                       "{DB: \"{{ input.db }}\"}"),
                   0, 1000),
            true, [](D& d, const V& v) { spec(d).env = std::get<std::map<std::string, std::string>>(v); }},
    TaskKey{ranged(key("secrets", FieldType::TextMap, "",
                       "Environment variables whose values the worker reads when a run begins: `env:VARIABLE` of its own "
                       "environment, or `file:/path`. The store, the API and logs never see the values.",
                       "{PGPASSWORD: \"file:/run/secrets/db\"}"),
                   0, 1000),
            true, [](D& d, const V& v) { spec(d).secrets = std::get<std::map<std::string, std::string>>(v); }},
    TaskKey{key("dir", FieldType::Text, "",
                "The working directory, an absolute path. A local script without one gets a fresh, empty directory, which is "
                "removed afterwards.",
                "/srv/backup"),
            true, [](D& d, const V& v) { spec(d).dir = text(v); }},
    TaskKey{ranged(key("volumes", FieldType::TextList, "",
                       "What a container sees of its host: `/host/path:/container/path`, with `:ro` read-only.",
                       "[\"/data:/data:ro\"]"),
                   0, 1000),
            true, [](D& d, const V& v) { spec(d).volumes = std::get<std::vector<std::string>>(v); }},
    TaskKey{ranged(key("memory", FieldType::Size, "", "The memory that the task and all that it starts may use.",
                       "512MiB"),
                   std::int64_t{6} << 20, std::int64_t{1} << 50),
            true, [](D& d, const V& v) { spec(d).memory_bytes = std::get<std::int64_t>(v); }},
    TaskKey{ranged(key("cpus", FieldType::Number, "", "How many processors a container may keep busy.", "1.5"), 1,
                   409'600),
            true, [](D& d, const V& v) { spec(d).cpus = std::get<double>(v); }},
    TaskKey{ranged(key("max_processes", FieldType::Count, "", "How many processes and threads it may have at once.",
                       "100"),
                   1, 1 << 22),
            true, [](D& d, const V& v) { spec(d).max_processes = count(v); }},
    TaskKey{key("network", FieldType::Text, "", "The container's network, as its engine names it.", "none"), true,
            [](D& d, const V& v) { spec(d).network = text(v); }},
    // ---- How it is treated ---------------------------------------------------------------------------------------
    TaskKey{key("queue", FieldType::Name, "default", "The queue that it goes to.", "nightly"), false,
            [](D& d, const V& v) { d.options.queue = text(v); }},
    TaskKey{ranged(key("priority", FieldType::Count, "50", "Lower goes first.", "10"), 1, 100), false,
            [](D& d, const V& v) { d.options.priority = count(v); }},
    TaskKey{ranged(key("tags", FieldType::NameList, "",
                       "Tags that its worker must carry, beside those that its kind needs.", "[db]"),
                   0, 60),
            false, [](D& d, const V& v) { d.options.tags = std::get<std::vector<std::string>>(v); }},
    TaskKey{ranged(key("timeout", FieldType::Length, "", "The longest that one attempt may run; else the worker's "
                                                         "`task_timeout`.",
                       "10m"),
                   length(milliseconds(1)), length(hours(24 * 7))),
            false, [](D& d, const V& v) { d.options.policy.timeout = std::get<Duration>(v); }},
    TaskKey{ranged(key("deadline", FieldType::Length, "",
                       "EXPIRED when it has not started so long after it was submitted.", "1h"),
                   length(milliseconds(1)), length(hours(24 * 365))),
            false, [](D& d, const V& v) { d.deadline = std::get<Duration>(v); }},
    TaskKey{ranged(key("max_attempts", FieldType::Count, "1", "All attempts together; 1: no retry.", "5"), 1, 1000),
            false, [](D& d, const V& v) { d.options.policy.retry.max_attempts = count(v); }},
    TaskKey{ranged(key("retry_delays", FieldType::LengthList, "",
                       "How long each retry waits; the last one repeats.", "[1s, 10s, 1m]"),
                   0, longest_wait),
            false, [](D& d, const V& v) { d.options.policy.retry.delays = std::get<std::vector<Duration>>(v); }},
    TaskKey{ranged(key("retry_base", FieldType::Length, "1s", "Without `retry_delays`: how long the first retry waits,",
                       "2s"),
                   0, longest_wait),
            false, [](D& d, const V& v) { d.options.policy.retry.base = std::get<Duration>(v); }},
    TaskKey{ranged(key("retry_factor", FieldType::Number, "2", "... times this for each further one,", "1.5"), 100,
                   10'000),
            false, [](D& d, const V& v) { d.options.policy.retry.factor = std::get<double>(v); }},
    TaskKey{ranged(key("retry_cap", FieldType::Length, "5m", "... but at most this long,", "1h"), 0, longest_wait),
            false, [](D& d, const V& v) { d.options.policy.retry.cap = std::get<Duration>(v); }},
    TaskKey{ranged(key("retry_jitter", FieldType::Number, "0", "... plus or minus this part of it.", "0.2"), 0, 100),
            false, [](D& d, const V& v) { d.options.policy.retry.jitter = std::get<double>(v); }},
    TaskKey{ranged(key("retry_on", FieldType::NameList, "",
                       "Retry only after these error codes; else after any. Not `WORKER_CRASHED`, about which `on_crash` "
                       "decides, nor `ARGS_NOT_READABLE`, which is never retried.",
                       "[TASK_TIMEOUT]"),
                   0, 100),
            false, [](D& d, const V& v) { d.options.policy.retry.retry_on = std::get<std::vector<std::string>>(v); }},
    TaskKey{choice("on_crash", "fail, requeue", "fail", "What becomes of it when its worker dies.", "requeue"), false,
            [](D& d, const V& v) {
                d.options.policy.on_crash = text(v) == "requeue" ? OnCrash::Requeue : OnCrash::Fail;
            }},
    TaskKey{ranged(key("max_crashes", FieldType::Count, "3", "How often `requeue` may run it again.", "1"), 0, 1000),
            false, [](D& d, const V& v) { d.options.policy.max_crashes = count(v); }},
    TaskKey{choice("fence", "auto, stop, continue", "auto",
                   "What its worker does with it when it loses touch with the store; auto: stop what somebody else "
                   "could be given.",
                   "stop"),
            false,
            [](D& d, const V& v) {
                d.options.policy.fence = text(v) == "stop"       ? Fence::Stop
                                         : text(v) == "continue" ? Fence::Continue
                                                                 : Fence::Auto;
            }},
    TaskKey{choice("unmatched", "wait, fail", "wait", "What becomes of it when no worker can run it.", "fail"), false,
            [](D& d, const V& v) {
                d.options.policy.unmatched = text(v) == "fail" ? Unmatched::Fail : Unmatched::Wait;
            }},
    TaskKey{key("concurrency_key", FieldType::Text, "",
                "Tasks of one queue with the same key share its slots. `{{ input.x }}` is filled.", "\"db-{{ input.db }}\""),
            false, [](D& d, const V& v) { concurrency(d).key = text(v); }},
    TaskKey{ranged(key("concurrency_limit", FieldType::Count, "1", "How many slots to ask for; [which limit counts](#concurrency-keys).", "2"), 1, 10'000),
            false, [](D& d, const V& v) { concurrency(d).limit = count(v); }},
};

}  // namespace

std::span<const TaskKey> task_keys() {
    return table;
}

const TaskKey* find_task_key(std::string_view name) {
    const auto* found =
        std::find_if(table.begin(), table.end(), [&](const TaskKey& k) { return k.field.name == name; });
    return found == table.end() ? nullptr : found;
}

}  // namespace holdfast::config
