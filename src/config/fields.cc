#include "config/fields.h"

#include <algorithm>
#include <cctype>
#include <tuple>

#include "base/text.h"

namespace holdfast::config {

namespace {

using namespace std::chrono_literals;
using core::Range;

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

/// The member of Config that holds the settings of a section.
template <typename Part>
struct Section {
    std::string_view name;
    Part Config::*place;
};
constexpr std::tuple sections{
    Section<StoreConfig>{"store", &Config::store},          Section<WorkerConfig>{"worker", &Config::worker},
    Section<RecoveryConfig>{"recovery", &Config::recovery}, Section<RetentionConfig>{"retention", &Config::retention},
    Section<ServerConfig>{"server", &Config::server},       Section<LogConfig>{"log", &Config::log},
};

template <auto Member>
Field setting(std::string_view name, OptionType type, std::string fallback, Range range, std::string_view example,
              std::string_view meaning) {
    constexpr auto section = std::get<Section<decltype(core::class_of_member(Member))>>(sections);
    using At = core::OptionAt<Config, section.place, Member>;
    Field field{At{}(name, type, range, example, meaning), section.name};
    field.fallback = std::move(fallback);
    field.nullable = core::is_optional<typename At::Member>;
    return field;
}

Field run_as_setting() {
    Field field = setting<&WorkerConfig::run_as>(
        "run_as", OptionType::TextMap, "", {0, 2}, "{ uids: 60000-60099 }",
        "The users that scripts and functions run as, instead of the worker's: one account for all, or a user id of "
        "its own for each slot, which also protects runs from each other. Needs a worker that is root or has "
        "CAP_SETUID, CAP_SETGID, CAP_KILL and CAP_CHOWN, and isolation process. Such a worker runs no containers. "
        "See docs/security.md.");
    field.form = "{ user: NAME } or { uids: FROM-TO }";
    return field;
}

}  // namespace

const std::vector<Field>& fields() {
    using enum OptionType;
    using Store = StoreConfig;
    using Worker = WorkerConfig;
    using Recovery = RecoveryConfig;
    using Retention = RetentionConfig;
    using Server = ServerConfig;
    using Log = LogConfig;
    static const std::vector<Field> all = {
        // ---- store -----------------------------------------------------------------------------------------------
        setting<&Store::url>("url", StoreUrl, "sqlite:holdfast.db", {}, "postgresql://app@db.example/app",
                             "Where tasks are kept. May also be written as `store: URL`."),
        setting<&Store::session_liveness>("session_liveness", Boolean, "true", {}, "off",
                                          "PostgreSQL: a worker's open session proves that it is alive. Switch it "
                                          "off behind a pooler in transaction mode."),
        setting<&Store::max_payload_bytes>(
            "max_payload_bytes", Count, "1048576", {1024, 64 * 1024 * 1024}, "4194304",
            "Largest arguments, result, checkpoint or error data of a task, each. Larger arguments and checkpoints "
            "are refused, a larger result fails the task, larger error data is replaced by a note of its size. Error "
            "messages are cut at 64 KiB."),
        // ---- worker ----------------------------------------------------------------------------------------------
        setting<&Worker::name>("name", Name, "null", {}, "worker-01",
                               "What people call the worker; null: the name of its host."),
        setting<&Worker::queues>("queues", NameList, "default", {1, 1000}, "[default, mail]",
                                 "The queues that the worker takes tasks from."),
        setting<&Worker::tags>("tags", NameList, "", {0, 1000}, "[script, docker]",
                               "What the worker can do. It takes only tasks all of whose tags it has."),
        setting<&Worker::max_concurrent_tasks>("max_concurrent_tasks", Count, "10", {1, 10'000}, "4",
                                               "How many tasks the worker runs at once."),
        setting<&Worker::task_timeout>("task_timeout", Duration, "300s", {1s, 30 * 24h}, "10m",
                                       "How long one attempt may run when its task names no timeout."),
        setting<&Worker::heartbeat_interval>("heartbeat_interval", Duration, "3s", {100ms, 2min}, "5s",
                                             "How often the worker reports to the store that it is alive. It counts "
                                             "as silent after three of these at the earliest."),
        setting<&Worker::shutdown_grace>("shutdown_grace", Duration, "30s", {0s, 24h}, "2m",
                                         "How long running tasks may go on after SIGTERM before they are stopped."),
        setting<&Worker::stop_grace>(
            "stop_grace", Duration, "5s", {0s, 1h}, "30s",
            "How long a task that is asked to stop (cancel, timeout, drain) may take before it is killed."),
        setting<&Worker::snapshot_interval>("snapshot_interval", Duration, "30s", {1s, 1h}, "1m",
                                            "How often the worker records its running tasks, processor and memory."),
        setting<&Worker::isolation>(
            "isolation", Choice, "process", {}, "thread",
            "Where functions run: each in a process of its own, which may crash without harm to others, or in "
            "threads of the worker, which is faster. With threads it runs functions only, no scripts or containers."),
        setting<&Worker::runners>(
            "runners", TextList, "", {0, 100}, "[\"python3 -m holdfast shop.tasks:app\"]",
            "Commands of runner programs, whose functions the worker runs: see docs/runner-protocol.md. Each is "
            "given "
            "to `sh -c`, and starts with the directory and the environment of the worker, without its secrets. Needs "
            "isolation process."),
        setting<&Worker::max_tasks_per_runner>(
            "max_tasks_per_runner", Count, "1000", {1, 1'000'000}, "100",
            "After so many tasks a runner process is replaced by a fresh one, against slow leaks. Not a runner "
            "program, which says itself when it wants to be replaced."),
        setting<&Worker::runner_memory_limit>("runner_memory_limit", Size, "null", {16 * mebibyte, mebibyte << 30},
                                              "512MiB",
                                              "The memory that a runner process and all that it starts may use when "
                                              "its task names no limit; null: as much as there is."),
        setting<&Worker::container_command>("container_command", TextList, "docker", {1, 100}, "[podman]",
                                            "The program that runs containers, with its first words: docker, or any "
                                            "other with the same command line."),
        setting<&Worker::container_options>("container_options", TextList, "", {0, 100},
                                            "[--host, \"ssh://build-1\"]",
                                            "Words between `container_command` and each of its subcommands."),
        setting<&Worker::container_run_options>("container_run_options", TextList, "", {0, 100}, "[--pull, never]",
                                                "Words after the subcommand `run`, for every container."),
        setting<&Worker::pass_env>("pass_env", NameList, "", {0, 1000}, "[http_proxy, SSH_AUTH_SOCK]",
                                   "Environment variables of the worker that scripts and containers get, too. "
                                   "Without them a script has PATH, HOME, LANG and TZ of the worker, its own `env` "
                                   "and `secrets`, and the `HOLDFAST_` variables of its task."),
        run_as_setting(),
        setting<&Worker::runner_process_limit>(
            "runner_process_limit", Count, "null", {1, 1'000'000}, "500",
            "How many processes and threads a script may have at once; a limit of its task may be lower. With "
            "`run_as: { uids }` the kernel enforces it. null: no limit."),
        setting<&Worker::scratch>(
            "scratch", Size, "null", {mebibyte, mebibyte << 20}, "1GiB",
            "The size of the directory of each script, which is then a file system in memory: a "
            "script that fills it harms no other. Needs a worker that may mount (root, or "
            "CAP_SYS_ADMIN). null: the directory is on the disk of $TMPDIR."),
        // ---- recovery --------------------------------------------------------------------------------------------
        setting<&Recovery::auto_requeue_stale_claimed>(
            "auto_requeue_stale_claimed", Boolean, "true", {}, "false",
            "Requeue tasks that are stuck in CLAIMED; off: they stay there until a person acts."),
        setting<&Recovery::claimed_stale_threshold>(
            "claimed_stale_threshold_ms", Duration, "120000", {1s, 1h}, "60000",
            "How long a live worker may leave a CLAIMED task out of its beats before it is stale. At least twice "
            "`claimer_heartbeat_interval_ms`."),
        setting<&Recovery::auto_fail_stale_running>(
            "auto_fail_stale_running", Boolean, "true", {}, "false",
            "Fail tasks that are stuck in RUNNING; off: they stay there until a person acts."),
        setting<&Recovery::running_stale_threshold>("running_stale_threshold_ms", Duration, "300000", {1s, 2h},
                                                    "600000",
                                                    "How long the runner of a RUNNING task may send no beat before "
                                                    "it is stale. At least twice `runner_heartbeat_interval_ms`."),
        setting<&Recovery::check_interval>("check_interval_ms", Duration, "30000", {1s, 10min}, "10s",
                                           "How often the recovery services run."),
        setting<&Recovery::runner_heartbeat_interval>(
            "runner_heartbeat_interval_ms", Duration,
            "30000", {1s, 2min}, "10000",
            "How often the beat of a RUNNING task goes into the history of heartbeats."),
        setting<&Recovery::claimer_heartbeat_interval>(
            "claimer_heartbeat_interval_ms", Duration,
            "30000", {1s, 2min}, "10000",
            "How often the beat of a CLAIMED task goes into the history of heartbeats."),
        setting<&Recovery::worker_stale_threshold>("worker_stale_threshold_ms", Duration, "15000", {1s, 1h}, "30000",
                                                   "How long a worker's beat may stand still before the worker is "
                                                   "silent. At least three times `liveness_interval_ms`."),
        setting<&Recovery::disconnect_grace>(
            "disconnect_grace_ms", Duration,
            "3000", {0s, 10min}, "5000",
            "PostgreSQL: how long a worker may be without its session before its tasks are judged."),
        setting<&Recovery::liveness_interval>("liveness_interval_ms", Duration, "1000", {100ms, 1min}, "500ms",
                                              "How often each process looks at the workers."),
        setting<&Recovery::unmatched_step_timeout>(
            "unmatched_step_timeout_secs", Duration, "30", {1s, 24h}, "120",
            "How long a step of a job waits for a worker with its tags before it fails."),
        setting<&Recovery::unmatched_steps>(
            "unmatched_steps", Choice, "known", {}, "fail",
            "Which steps fail then, unless the step itself says. known: those that no worker in the store, present "
            "or away, could run; fail: those that no active worker with fresh beats can run; wait: none."),
        // ---- retention -------------------------------------------------------------------------------------------
        setting<&Retention::heartbeat>("heartbeat_retention_hours", Duration, "24", {1h, 8760h}, "48",
                                       "How long the history of heartbeats is kept; null: never pruned."),
        setting<&Retention::worker_state>(
            "worker_state_retention_hours", Duration, "168", {1h, 8760h}, "336",
            "How long snapshots of workers, and the rows of workers that have left, are kept; null: never pruned."),
        setting<&Retention::terminal_record>("terminal_record_retention_hours", Duration, "720", {1h, 43800h}, "90d",
                                             "How long ended tasks and jobs are kept; null: never pruned."),
        setting<&Retention::audit>("audit_hours", Duration, "8760", {1h, 87600h}, "17520",
                                   "How long the audit is kept: every order, even if it is about a task or job that "
                                   "was pruned; null: never pruned."),
        // ---- server ----------------------------------------------------------------------------------------------
        setting<&Server::address>(
            "address", Name, "127.0.0.1", {}, "0.0.0.0",
            "The address that the server listens on. Any other than loopback needs tokens, or `insecure`."),
        setting<&Server::port>("port", Count, "7070", {0, 65535}, "8443", "The port; 0: any that is free."),
        setting<&Server::tls_certificate>("tls_certificate", Text, "null", {}, "/etc/holdfast/tls.crt",
                                          "A file with the certificate and its chain, PEM; with `tls_key` the server "
                                          "speaks TLS only. SIGHUP reads both again."),
        setting<&Server::tls_key>("tls_key", Text, "null", {}, "/etc/holdfast/tls.key",
                                  "The file with the key of `tls_certificate`, PEM."),
        setting<&Server::insecure>(
            "insecure", Boolean, "false", {}, "true",
            "Listen on other interfaces than loopback without a token. Anyone who can connect has full access."),
        setting<&Server::scripts>(
            "scripts", Choice, "null", {}, "any",
            "Which scripts and containers callers may run. catalog: those of the server's catalog; any: with scope "
            "operate also their own, which run as the worker's user; null: any until the first token, then catalog."),
        setting<&Server::max_connections>("max_connections", Count, "10000", {1, 1'000'000}, "2000",
                                          "How many connections may be open at once; more are turned away."),
        setting<&Server::max_connections_per_client>("max_connections_per_client", Count, "10000", {1, 1'000'000},
                                                     "100", "How many connections may come from one address."),
        setting<&Server::requests_per_second>(
            "requests_per_second", Count, "200", {1, 1'000'000}, "50",
            "How many requests one address may send a second, on average; the answer to more is 429."),
        setting<&Server::request_burst>("request_burst", Count, "400", {1, 1'000'000}, "100",
                                        "How many requests one address may send at once."),
        setting<&Server::max_body_size>("max_body_size", Size, "8MiB", {1024, 1024 * mebibyte}, "32MiB",
                                        "The largest body of a request; the answer to a larger one is 413."),
        setting<&Server::header_timeout>("header_timeout", Duration, "10s", {100ms, 1h}, "5s",
                                         "How long a client may take to send the header of a request."),
        setting<&Server::body_timeout>("body_timeout", Duration, "30s", {100ms, 1h}, "2m",
                                       "How long a client may take to send the body of a request."),
        setting<&Server::idle_timeout>("idle_timeout", Duration, "75s", {100ms, 24h}, "5m",
                                       "How long a connection may stay open between two requests."),
        setting<&Server::write_timeout>(
            "write_timeout", Duration, "30s", {100ms, 1h}, "10s",
            "How long a client may accept no byte of an answer before its connection is closed."),
        setting<&Server::threads>("threads", Count, "4", {1, 256}, "8",
                                  "How many requests are worked on at once, each with a connection to the store."),
        setting<&Server::max_waiting_requests>(
            "max_waiting_requests", Count, "256", {1, 100'000}, "1000",
            "How many more requests may wait for a free thread; the answer to further ones is 503."),
        setting<&Server::shutdown_grace>("shutdown_grace", Duration, "10s", {0s, 1h}, "30s",
                                         "How long requests under way may go on after SIGTERM."),
        // ---- log -------------------------------------------------------------------------------------------------
        setting<&Log::level>(
            "level", Choice,
            "info", {}, "debug",
            "The least important lines that a worker or server writes to its log (the standard error stream)."),
        setting<&Log::format>("format", Choice, "text", {}, "json",
                              "One line for each fact either way: for people, or as one JSON object."),
    };
    return all;
}

namespace {

std::string upper_case(std::string_view text) {
    std::string upper(text);
    for (char& letter : upper) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    return upper;
}

}  // namespace

std::string Field::key() const {
    return concat(section, '.', name);
}

std::string Field::variable() const {
    if (type == OptionType::StoreUrl) return "HOLDFAST_STORE";
    return concat("HOLDFAST_", upper_case(section), '_', upper_case(name));
}

const Field* find_field(std::string_view key) {
    const auto found = std::ranges::find(fields(), key, &Field::key);
    return found == fields().end() ? nullptr : &*found;
}

const Field* find_field_by_name(std::string_view name) {
    return core::find_option(fields(), name);
}

const std::vector<std::string>& field_sections() {
    static const std::vector<std::string> names = std::apply(
        [](const auto&... section) { return std::vector<std::string>{std::string(section.name)...}; }, sections);
    return names;
}

const std::vector<std::string>& kept_sections() {
    static const std::vector<std::string> names = {"tasks", "workflows", "schedules", "keys"};
    return names;
}

std::vector<std::string> field_names(std::string_view section) {
    std::vector<std::string> names;
    for (const Field& field : fields())
        if (field.section == section) names.emplace_back(field.name);
    return names;
}

}  // namespace holdfast::config
