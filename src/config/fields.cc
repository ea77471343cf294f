#include "config/fields.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <type_traits>

#include "base/text.h"

namespace holdfast::config {

namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

template <typename T>
struct ValueOf {
    static T from(const Value& value) {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
            return static_cast<T>(std::get<std::int64_t>(value));
        } else {
            return std::get<T>(value);
        }
    }
};

template <typename T>
struct ValueOf<std::optional<T>> {
    static std::optional<T> from(const Value& value) {
        if (std::holds_alternative<std::monostate>(value)) return std::nullopt;
        return ValueOf<T>::from(value);
    }
};

template <Worded Enum>
struct ValueOf<Enum> {
    static Enum from(const Value& value) { return parse_word<Enum>(std::get<std::string>(value)).value(); }
};

template <auto Section, auto Member>
void assign(Config& config, const Value& value) {
    auto& target = (config.*Section).*Member;
    target = ValueOf<std::remove_reference_t<decltype(target)>>::from(value);
}

constexpr std::int64_t length(Duration duration) {
    return duration.count();
}

constexpr std::string_view own = "Holdfast";
constexpr std::string_view horsies = "Horsies, Recovery Config";
constexpr std::string_view stroem = "Strøm, Recovery";
constexpr std::string_view attune = "Attune, Worker Lifecycle";

constexpr std::array table = {
    // ---- store ---------------------------------------------------------------------------------------------------
    Field{.section = "store",
          .name = "url",
          .type = FieldType::StoreUrl,
          .fallback = "sqlite:holdfast.db",
          .meaning = "Where tasks are kept. May also be written as `store: URL`.",
          .source = own,
          .example = "postgresql://app@db.example/app",
          .assign = assign<&Config::store, &StoreConfig::url>},
    Field{.section = "store",
          .name = "session_liveness",
          .type = FieldType::Boolean,
          .fallback = "true",
          .meaning = "PostgreSQL: a worker's open session proves that it lives. Switch it off behind a pooler in "
                     "transaction mode.",
          .source = own,
          .example = "off",
          .assign = assign<&Config::store, &StoreConfig::session_liveness>},
    Field{.section = "store",
          .name = "max_payload_bytes",
          .type = FieldType::Count,
          .fallback = "1048576",
          .least = 1024,
          .most = 64 * 1024 * 1024,
          .meaning =
              "Largest arguments, result, checkpoint or error data of a task, each. Larger arguments and checkpoints "
              "are refused, a larger result fails the task, larger error data is replaced by a note of its size. "
              "Error messages are cut at 64 KiB.",
          .source = own,
          .example = "4194304",
          .assign = assign<&Config::store, &StoreConfig::max_payload_bytes>},
    // ---- worker --------------------------------------------------------------------------------------------------
    Field{.section = "worker",
          .name = "name",
          .type = FieldType::Name,
          .fallback = "null",
          .nullable = true,
          .meaning = "What people call the worker; null: the name of its host.",
          .source = attune,
          .example = "worker-01",
          .assign = assign<&Config::worker, &WorkerConfig::name>},
    Field{.section = "worker",
          .name = "queues",
          .type = FieldType::NameList,
          .fallback = "default",
          .least = 1,
          .most = 1000,
          .meaning = "The queues that the worker takes tasks from.",
          .source = own,
          .example = "[default, mail]",
          .assign = assign<&Config::worker, &WorkerConfig::queues>},
    Field{.section = "worker",
          .name = "tags",
          .type = FieldType::NameList,
          .fallback = "",
          .least = 0,
          .most = 1000,
          .meaning = "What the worker can do; it is given only tasks whose tags it has all of.",
          .source = stroem,
          .example = "[script, docker]",
          .assign = assign<&Config::worker, &WorkerConfig::tags>},
    Field{.section = "worker",
          .name = "max_concurrent_tasks",
          .type = FieldType::Count,
          .fallback = "10",
          .least = 1,
          .most = 10'000,
          .meaning = "How many tasks the worker runs at once.",
          .source = attune,
          .example = "4",
          .assign = assign<&Config::worker, &WorkerConfig::max_concurrent_tasks>},
    Field{.section = "worker",
          .name = "task_timeout",
          .type = FieldType::Length,
          .fallback = "300s",
          .least = length(seconds(1)),
          .most = length(hours(30 * 24)),
          .meaning = "How long one attempt may run when its task names no timeout.",
          .source = attune,
          .example = "10m",
          .assign = assign<&Config::worker, &WorkerConfig::task_timeout>},
    Field{.section = "worker",
          .name = "heartbeat_interval",
          .type = FieldType::Length,
          .fallback = "3s",
          .least = length(milliseconds(100)),
          .most = length(minutes(2)),
          .meaning = "How often the worker tells the store that it lives. It is never taken for silent before three "
                     "of these have passed.",
          .source = attune,
          .example = "5s",
          .assign = assign<&Config::worker, &WorkerConfig::heartbeat_interval>},
    Field{.section = "worker",
          .name = "shutdown_grace",
          .type = FieldType::Length,
          .fallback = "30s",
          .least = 0,
          .most = length(hours(24)),
          .meaning = "How long running tasks may go on after SIGTERM before they are stopped.",
          .source = attune,
          .example = "2m",
          .assign = assign<&Config::worker, &WorkerConfig::shutdown_grace>},
    Field{.section = "worker",
          .name = "stop_grace",
          .type = FieldType::Length,
          .fallback = "5s",
          .least = 0,
          .most = length(hours(1)),
          .meaning = "How long a task that is asked to stop (cancel, timeout, drain) may take before it is killed.",
          .source = own,
          .example = "30s",
          .assign = assign<&Config::worker, &WorkerConfig::stop_grace>},
    Field{.section = "worker",
          .name = "snapshot_interval",
          .type = FieldType::Length,
          .fallback = "30s",
          .least = length(seconds(1)),
          .most = length(hours(1)),
          .meaning = "How often the worker records its load (tasks, processor, memory).",
          .source = horsies,
          .example = "1m",
          .assign = assign<&Config::worker, &WorkerConfig::snapshot_interval>},
    Field{
        .section = "worker",
        .name = "isolation",
        .type = FieldType::Choice,
        .fallback = "process",
        .words = "process, thread",
        .meaning =
            "Where functions run: each in a process of its own, which may crash without harm to others, or in "
            "threads of the worker, which is faster. With threads it runs functions only, no scripts or containers.",
        .source = own,
        .example = "thread",
        .assign = assign<&Config::worker, &WorkerConfig::isolation>},
    Field{.section = "worker",
          .name = "max_tasks_per_runner",
          .type = FieldType::Count,
          .fallback = "1000",
          .least = 1,
          .most = 1'000'000,
          .meaning = "After so many tasks a runner process is replaced by a fresh one, against slow leaks.",
          .source = own,
          .example = "100",
          .assign = assign<&Config::worker, &WorkerConfig::max_tasks_per_runner>},
    Field{.section = "worker",
          .name = "runner_memory_limit",
          .type = FieldType::Size,
          .fallback = "null",
          .least = std::int64_t{16} << 20,
          .most = std::int64_t{1} << 50,
          .nullable = true,
          .meaning = "The memory that a runner process and all that it starts may use when its task names no limit; "
                     "null: as much as there is.",
          .source = own,
          .example = "512MiB",
          .assign = assign<&Config::worker, &WorkerConfig::runner_memory_limit>},
    Field{.section = "worker",
          .name = "container_command",
          .type = FieldType::TextList,
          .fallback = "docker",
          .least = 1,
          .most = 100,
          .meaning = "The program that runs containers, with its first words: any that understands what docker does.",
          .source = own,
          .example = "[podman]",
          .assign = assign<&Config::worker, &WorkerConfig::container_command>},
    Field{.section = "worker",
          .name = "container_options",
          .type = FieldType::TextList,
          .fallback = "",
          .least = 0,
          .most = 100,
          .meaning = "Words between that command and each of its subcommands.",
          .source = own,
          .example = "[--host, \"ssh://build-1\"]",
          .assign = assign<&Config::worker, &WorkerConfig::container_options>},
    Field{.section = "worker",
          .name = "container_run_options",
          .type = FieldType::TextList,
          .fallback = "",
          .least = 0,
          .most = 100,
          .meaning = "Words after the subcommand `run`, for every container.",
          .source = own,
          .example = "[--pull, never]",
          .assign = assign<&Config::worker, &WorkerConfig::container_run_options>},
    Field{.section = "worker",
          .name = "pass_env",
          .type = FieldType::NameList,
          .fallback = "",
          .least = 0,
          .most = 1000,
          .meaning = "Environment variables of the worker that scripts and containers are given too; without them a "
                     "script has PATH, HOME, LANG and TZ of the worker, its own `env` and `secrets`, and the "
                     "`HOLDFAST_` variables of its task.",
          .source = own,
          .example = "[http_proxy, SSH_AUTH_SOCK]",
          .assign = assign<&Config::worker, &WorkerConfig::pass_env>},
    // ---- recovery ------------------------------------------------------------------------------------------------
    Field{.section = "recovery",
          .name = "auto_requeue_stale_claimed",
          .type = FieldType::Boolean,
          .fallback = "true",
          .meaning = "Requeue tasks that are stuck in CLAIMED; off: they stay so until a person acts.",
          .source = horsies,
          .example = "false",
          .assign = assign<&Config::recovery, &RecoveryConfig::auto_requeue_stale_claimed>},
    Field{.section = "recovery",
          .name = "claimed_stale_threshold_ms",
          .type = FieldType::Length,
          .fallback = "120000",
          .least = length(seconds(1)),
          .most = length(hours(1)),
          .meaning =
              "How long a live worker may leave a CLAIMED task out of its beats before it is stale. At least twice "
              "`claimer_heartbeat_interval_ms`.",
          .source = horsies,
          .example = "60000",
          .assign = assign<&Config::recovery, &RecoveryConfig::claimed_stale_threshold>},
    Field{.section = "recovery",
          .name = "auto_fail_stale_running",
          .type = FieldType::Boolean,
          .fallback = "true",
          .meaning = "Fail tasks that are stuck in RUNNING; off: they stay so until a person acts.",
          .source = horsies,
          .example = "false",
          .assign = assign<&Config::recovery, &RecoveryConfig::auto_fail_stale_running>},
    Field{.section = "recovery",
          .name = "running_stale_threshold_ms",
          .type = FieldType::Length,
          .fallback = "300000",
          .least = length(seconds(1)),
          .most = length(hours(2)),
          .meaning = "How long the runner of a RUNNING task may send no beat before it is stale. At least twice "
                     "`runner_heartbeat_interval_ms`.",
          .source = horsies,
          .example = "600000",
          .assign = assign<&Config::recovery, &RecoveryConfig::running_stale_threshold>},
    Field{.section = "recovery",
          .name = "check_interval_ms",
          .type = FieldType::Length,
          .fallback = "30000",
          .least = length(seconds(1)),
          .most = length(minutes(10)),
          .meaning = "How often the recovery services run.",
          .source = horsies,
          .example = "10s",
          .assign = assign<&Config::recovery, &RecoveryConfig::check_interval>},
    Field{.section = "recovery",
          .name = "runner_heartbeat_interval_ms",
          .type = FieldType::Length,
          .fallback = "30000",
          .least = length(seconds(1)),
          .most = length(minutes(2)),
          .meaning = "How often the beat of a RUNNING task goes into the history of heartbeats.",
          .source = horsies,
          .example = "10000",
          .assign = assign<&Config::recovery, &RecoveryConfig::runner_heartbeat_interval>},
    Field{.section = "recovery",
          .name = "claimer_heartbeat_interval_ms",
          .type = FieldType::Length,
          .fallback = "30000",
          .least = length(seconds(1)),
          .most = length(minutes(2)),
          .meaning = "How often the beat of a CLAIMED task goes into the history of heartbeats.",
          .source = horsies,
          .example = "10000",
          .assign = assign<&Config::recovery, &RecoveryConfig::claimer_heartbeat_interval>},
    Field{.section = "recovery",
          .name = "worker_stale_threshold_ms",
          .type = FieldType::Length,
          .fallback = "15000",
          .least = length(seconds(1)),
          .most = length(hours(1)),
          .meaning = "How long a worker's beat may stand still before the worker is silent. At least three times "
                     "`liveness_interval_ms`.",
          .source = own,
          .example = "30000",
          .assign = assign<&Config::recovery, &RecoveryConfig::worker_stale_threshold>},
    Field{.section = "recovery",
          .name = "disconnect_grace_ms",
          .type = FieldType::Length,
          .fallback = "3000",
          .least = 0,
          .most = length(minutes(10)),
          .meaning = "PostgreSQL: how long a worker may be without its session before its tasks are judged.",
          .source = own,
          .example = "5000",
          .assign = assign<&Config::recovery, &RecoveryConfig::disconnect_grace>},
    Field{.section = "recovery",
          .name = "liveness_interval_ms",
          .type = FieldType::Length,
          .fallback = "1000",
          .least = length(milliseconds(100)),
          .most = length(minutes(1)),
          .meaning = "How often each process looks at the workers.",
          .source = own,
          .example = "500ms",
          .assign = assign<&Config::recovery, &RecoveryConfig::liveness_interval>},
    Field{.section = "recovery",
          .name = "unmatched_step_timeout_secs",
          .type = FieldType::Length,
          .fallback = "30",
          .least = length(seconds(1)),
          .most = length(hours(24)),
          .meaning = "How long a step of a job waits for a worker with its tags before it fails.",
          .source = stroem,
          .example = "120",
          .assign = assign<&Config::recovery, &RecoveryConfig::unmatched_step_timeout>},
    Field{.section = "recovery",
          .name = "unmatched_steps",
          .type = FieldType::Choice,
          .fallback = "known",
          .words = "known, fail, wait",
          .meaning = "Which steps fail then, where the step itself says nothing. known: those that no worker in the "
                     "store, present or away, could run; fail: those that no active worker with fresh beats can; "
                     "wait: none.",
          .source = own,
          .example = "fail",
          .assign = assign<&Config::recovery, &RecoveryConfig::unmatched_steps>},
    // ---- retention -----------------------------------------------------------------------------------------------
    Field{.section = "retention",
          .name = "heartbeat_retention_hours",
          .type = FieldType::Length,
          .fallback = "24",
          .least = length(hours(1)),
          .most = length(hours(8760)),
          .nullable = true,
          .meaning = "How long the history of heartbeats is kept; null: never pruned.",
          .source = horsies,
          .example = "48",
          .assign = assign<&Config::retention, &RetentionConfig::heartbeat>},
    Field{.section = "retention",
          .name = "worker_state_retention_hours",
          .type = FieldType::Length,
          .fallback = "168",
          .least = length(hours(1)),
          .most = length(hours(8760)),
          .nullable = true,
          .meaning = "How long snapshots of workers, and the rows of workers that have left, are kept; null: never "
                     "pruned.",
          .source = horsies,
          .example = "336",
          .assign = assign<&Config::retention, &RetentionConfig::worker_state>},
    Field{.section = "retention",
          .name = "terminal_record_retention_hours",
          .type = FieldType::Length,
          .fallback = "720",
          .least = length(hours(1)),
          .most = length(hours(43800)),
          .nullable = true,
          .meaning = "How long ended tasks and jobs are kept; null: never pruned.",
          .source = horsies,
          .example = "90d",
          .assign = assign<&Config::retention, &RetentionConfig::terminal_record>},
    // ---- server --------------------------------------------------------------------------------------------------
    Field{.section = "server",
          .name = "address",
          .type = FieldType::Name,
          .fallback = "127.0.0.1",
          .meaning =
              "The address that the server listens on. Elsewhere than on loopback it wants tokens, or `insecure`.",
          .source = own,
          .example = "0.0.0.0",
          .assign = assign<&Config::server, &ServerConfig::address>},
    Field{.section = "server",
          .name = "port",
          .type = FieldType::Count,
          .fallback = "7070",
          .least = 0,
          .most = 65535,
          .meaning = "The port; 0: any that is free.",
          .source = own,
          .example = "8443",
          .assign = assign<&Config::server, &ServerConfig::port>},
    Field{.section = "server",
          .name = "tls_certificate",
          .type = FieldType::Text,
          .fallback = "null",
          .nullable = true,
          .meaning = "A file with the certificate and its chain, PEM; with `tls_key` the server speaks TLS only. "
                     "SIGHUP reads both again.",
          .source = own,
          .example = "/etc/holdfast/tls.crt",
          .assign = assign<&Config::server, &ServerConfig::tls_certificate>},
    Field{.section = "server",
          .name = "tls_key",
          .type = FieldType::Text,
          .fallback = "null",
          .nullable = true,
          .meaning = "The file with the key of that certificate, PEM.",
          .source = own,
          .example = "/etc/holdfast/tls.key",
          .assign = assign<&Config::server, &ServerConfig::tls_key>},
    Field{.section = "server",
          .name = "insecure",
          .type = FieldType::Boolean,
          .fallback = "false",
          .meaning = "Listen elsewhere than on loopback although there is no token: whoever reaches the server may "
                     "do everything.",
          .source = own,
          .example = "true",
          .assign = assign<&Config::server, &ServerConfig::insecure>},
    Field{.section = "server",
          .name = "max_connections",
          .type = FieldType::Count,
          .fallback = "10000",
          .least = 1,
          .most = 1000000,
          .meaning = "How many connections may be open at once; more are turned away.",
          .source = own,
          .example = "2000",
          .assign = assign<&Config::server, &ServerConfig::max_connections>},
    Field{.section = "server",
          .name = "max_connections_per_client",
          .type = FieldType::Count,
          .fallback = "10000",
          .least = 1,
          .most = 1000000,
          .meaning = "How many of them may come from one address.",
          .source = own,
          .example = "100",
          .assign = assign<&Config::server, &ServerConfig::max_connections_per_client>},
    Field{.section = "server",
          .name = "requests_per_second",
          .type = FieldType::Count,
          .fallback = "200",
          .least = 1,
          .most = 1000000,
          .meaning = "How many requests one address may send, on average; more are answered with 429.",
          .source = own,
          .example = "50",
          .assign = assign<&Config::server, &ServerConfig::requests_per_second>},
    Field{.section = "server",
          .name = "request_burst",
          .type = FieldType::Count,
          .fallback = "400",
          .least = 1,
          .most = 1000000,
          .meaning = "How many of them it may send at once.",
          .source = own,
          .example = "100",
          .assign = assign<&Config::server, &ServerConfig::request_burst>},
    Field{.section = "server",
          .name = "max_body_size",
          .type = FieldType::Size,
          .fallback = "8MiB",
          .least = std::int64_t{1} << 10,
          .most = std::int64_t{1} << 30,
          .meaning = "The largest body of a request; more is answered with 413.",
          .source = own,
          .example = "32MiB",
          .assign = assign<&Config::server, &ServerConfig::max_body_size>},
    Field{.section = "server",
          .name = "header_timeout",
          .type = FieldType::Length,
          .fallback = "10s",
          .least = length(milliseconds(100)),
          .most = length(hours(1)),
          .meaning = "How long a client may take to send the header of a request.",
          .source = own,
          .example = "5s",
          .assign = assign<&Config::server, &ServerConfig::header_timeout>},
    Field{.section = "server",
          .name = "body_timeout",
          .type = FieldType::Length,
          .fallback = "30s",
          .least = length(milliseconds(100)),
          .most = length(hours(1)),
          .meaning = "How long it may take to send the body.",
          .source = own,
          .example = "2m",
          .assign = assign<&Config::server, &ServerConfig::body_timeout>},
    Field{.section = "server",
          .name = "idle_timeout",
          .type = FieldType::Length,
          .fallback = "75s",
          .least = length(milliseconds(100)),
          .most = length(hours(24)),
          .meaning = "How long a connection may stay open between two requests.",
          .source = own,
          .example = "5m",
          .assign = assign<&Config::server, &ServerConfig::idle_timeout>},
    Field{.section = "server",
          .name = "write_timeout",
          .type = FieldType::Length,
          .fallback = "30s",
          .least = length(milliseconds(100)),
          .most = length(hours(1)),
          .meaning = "How long a client may take no byte of an answer before it is cut off.",
          .source = own,
          .example = "10s",
          .assign = assign<&Config::server, &ServerConfig::write_timeout>},
    Field{.section = "server",
          .name = "threads",
          .type = FieldType::Count,
          .fallback = "4",
          .least = 1,
          .most = 256,
          .meaning = "How many requests are worked on at once, each with a connection to the store.",
          .source = own,
          .example = "8",
          .assign = assign<&Config::server, &ServerConfig::threads>},
    Field{.section = "server",
          .name = "max_waiting_requests",
          .type = FieldType::Count,
          .fallback = "256",
          .least = 1,
          .most = 100000,
          .meaning = "How many more may wait for one of these; past it the answer is 503.",
          .source = own,
          .example = "1000",
          .assign = assign<&Config::server, &ServerConfig::max_waiting_requests>},
    Field{.section = "server",
          .name = "shutdown_grace",
          .type = FieldType::Length,
          .fallback = "10s",
          .least = 0,
          .most = length(hours(1)),
          .meaning = "How long requests under way may go on after SIGTERM.",
          .source = own,
          .example = "30s",
          .assign = assign<&Config::server, &ServerConfig::shutdown_grace>},
    // ---- log -----------------------------------------------------------------------------------------------------
    Field{
        .section = "log",
        .name = "level",
        .type = FieldType::Choice,
        .fallback = "info",
        .words = "debug, info, warning, error",
        .meaning = "The least important lines that a worker or server writes to its log (the standard error stream).",
        .source = own,
        .example = "debug",
        .assign = assign<&Config::log, &LogConfig::level>},
    Field{.section = "log",
          .name = "format",
          .type = FieldType::Choice,
          .fallback = "text",
          .words = "text, json",
          .meaning = "One line for each fact either way: for people, or as one JSON object.",
          .source = own,
          .example = "json",
          .assign = assign<&Config::log, &LogConfig::format>},
};

std::string upper_case(std::string_view text) {
    std::string upper(text);
    for (char& letter : upper) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    return upper;
}

template <typename Wanted>
const Field* first_field(Wanted wanted) {
    const auto* found = std::find_if(table.begin(), table.end(), wanted);
    return found == table.end() ? nullptr : found;
}

}  // namespace

std::string Field::key() const {
    return concat(section, '.', name);
}

std::string Field::variable() const {
    if (type == FieldType::StoreUrl) return "HOLDFAST_STORE";
    return concat("HOLDFAST_", upper_case(section), '_', upper_case(name));
}

std::span<const Field> fields() {
    return table;
}

const Field* find_field(std::string_view key) {
    return first_field([&](const Field& field) { return field.key() == key; });
}

const Field* find_field(std::string_view section, std::string_view name) {
    return first_field([&](const Field& field) { return field.section == section && field.name == name; });
}

const Field* find_field_by_name(std::string_view name) {
    return first_field([&](const Field& field) { return field.name == name; });
}

const std::vector<std::string>& field_sections() {
    static const std::vector<std::string> sections = {"store", "worker", "recovery", "retention", "server", "log"};
    return sections;
}

const std::vector<std::string>& kept_sections() {
    static const std::vector<std::string> sections = {"tasks", "workflows", "schedules", "keys"};
    return sections;
}

std::vector<std::string> field_names(std::string_view section) {
    std::vector<std::string> names;
    for (const Field& field : table) {
        if (field.section == section) names.emplace_back(field.name);
    }
    return names;
}

}  // namespace holdfast::config
