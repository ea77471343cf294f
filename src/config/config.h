#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "config/catalog.h"
#include "config/config_error.h"
#include "core/calendar/schedule.h"
#include "core/task/concurrency.h"
#include "core/task/verdict.h"
#include "core/workflow/workflow.h"
#include "holdfast/result.h"
#include "holdfast/time.h"
#include "holdfast/worker.h"

namespace holdfast {
constexpr auto words_of(Isolation) {
    return words<Isolation>({{Isolation::Process, "process"}, {Isolation::Thread, "thread"}});
}
}  // namespace holdfast

namespace holdfast::config {

// The table in fields.cc is the only place for the meaning, default and range of each member; docs/configuration.md
// is generated from it. The members have no defaults of their own: load() creates every Config.

struct StoreConfig {
    std::string url;
    bool session_liveness;
    std::size_t max_payload_bytes;
};

struct WorkerConfig {
    std::optional<std::string> name;  ///< nullopt: the host's name
    std::vector<std::string> queues;
    std::vector<std::string> tags;
    int max_concurrent_tasks;
    Duration task_timeout;
    Duration heartbeat_interval;
    Duration shutdown_grace;
    Duration stop_grace;
    Duration snapshot_interval;
    Isolation isolation;
    std::vector<std::string> runners;  ///< commands for `sh -c`
    int max_tasks_per_runner;
    std::optional<std::int64_t> runner_memory_limit;  ///< bytes; nullopt: none
    std::vector<std::string> container_command;
    std::vector<std::string> container_options;      ///< before the word `run`
    std::vector<std::string> container_run_options;  ///< after it
    std::vector<std::string> pass_env;               ///< names
    std::map<std::string, std::string> run_as;       ///< for core::parse_run_as, which accepts it; empty: none
    std::optional<int> runner_process_limit;         ///< nullopt: none
    std::optional<std::int64_t> scratch;             ///< bytes; nullopt: no file system of its own
};

struct LogConfig {
    LogLevel level;
    LogFormat format;
};

struct RecoveryConfig {
    bool auto_requeue_stale_claimed;
    Duration claimed_stale_threshold;
    bool auto_fail_stale_running;
    Duration running_stale_threshold;
    Duration check_interval;
    Duration runner_heartbeat_interval;
    Duration claimer_heartbeat_interval;
    Duration worker_stale_threshold;
    Duration disconnect_grace;
    Duration liveness_interval;
    Duration unmatched_step_timeout;
    core::UnmatchedRule unmatched_steps;
};

/// In each member, nullopt means: never prune.
struct RetentionConfig {
    std::optional<Duration> heartbeat;
    std::optional<Duration> worker_state;
    std::optional<Duration> terminal_record;
    std::optional<Duration> audit;
};

/// Which scripts and containers the callers of a server may run.
enum class ScriptRule { FromCatalog, Any };
constexpr auto words_of(ScriptRule) {
    using enum ScriptRule;
    return words<ScriptRule>({{FromCatalog, "catalog"}, {Any, "any"}});
}

struct ServerConfig {
    std::string address;
    int port;
    std::optional<std::string> tls_certificate;
    std::optional<std::string> tls_key;
    bool insecure;
    std::optional<ScriptRule> scripts;  ///< nullopt: of the catalog for callers with a token, any for the others
    int max_connections;
    int max_connections_per_client;
    int requests_per_second;
    int request_burst;
    std::int64_t max_body_size;
    Duration header_timeout;
    Duration body_timeout;
    Duration idle_timeout;
    Duration write_timeout;
    int threads;
    int max_waiting_requests;
    Duration shutdown_grace;
};

using Workflows = std::map<std::string, core::Workflow>;  ///< by name

/// A schedule as the file defines it.
struct Schedule {
    std::string name = {};
    core::ScheduleTiming timing = {};
    std::string definition = {};  ///< of its jobs: the text of a core::WorkflowBundle
    std::string input = {};       ///< JSON text, with the defaults filled in
};

/// One effective value, as `holdfast config show` prints it.
struct Setting {
    std::string key;    ///< "recovery.check_interval_ms"
    std::string value;  ///< as it would be written in the file ("30000", "[default]", "null"), passwords masked
    Origin origin;
};

/// A whole, valid configuration.
struct Config {
    StoreConfig store{};
    WorkerConfig worker{};
    RecoveryConfig recovery{};
    RetentionConfig retention{};
    LogConfig log{};
    ServerConfig server{};
    Catalog tasks;                           ///< the definitions of the file
    Workflows workflows;                     ///< only valid ones
    std::vector<Schedule> schedules;         ///< in the order of the file
    std::vector<core::KeyDeclaration> keys;  ///< in the order of the file

    std::string file;                ///< the file that was read, with the path as given; empty when none was read
    std::string workflow_directory;  ///< the directory of workflow files that it names; empty: none

    std::vector<Setting> settings;  ///< every field, in the order of the documentation
    ConfigErrors warnings;          ///< values that are valid but probably a mistake
};

/// The value of a command-line flag that overrides a field.
struct FlagOverride {
    std::string flag;  ///< as typed: "--store"
    std::string key;   ///< the field that it overrides: "store.url"
    std::string value;
};

/// Returns one sentence that explains why the time zone cannot be used; empty when it can.
using ZoneDefect = std::function<std::string(const std::string& name)>;

/// The sources of a configuration. Apart from these, load() reads only the file.
struct LoadParams {
    std::optional<std::string> file;                 ///< the value of --config
    std::map<std::string, std::string> environment;  ///< the process's; variables without our prefix are ignored
    std::vector<FlagOverride> flags;                 ///< the last one for a key wins
    std::string directory = ".";                     ///< searched for holdfast.yaml when no file is named
    ZoneDefect zone_defect = {};  ///< called for every zone of the file; unset: zones are not checked
};

/// Loads the configuration from the defaults, the file, the environment and the flags; for each value, the later
/// source wins. The file is the one named by `file`, else by HOLDFAST_CONFIG, else `directory`/holdfast.yaml when it
/// exists. Returns a valid configuration, or all errors at once: those of the file first, from top to bottom.
[[nodiscard]] Result<Config, ConfigErrors> load(const LoadParams& params);

/// The environment variables of the worker from which the tasks and workflows of the file read secrets (`env:NAME`).
[[nodiscard]] std::vector<std::string> secret_variables(const Config& config);

/// Everything that the tasks and workflows of the file read secrets from: "env:NAME", "file:/path".
[[nodiscard]] std::vector<std::string> secret_sources(const Config& config);

/// Reads a file of workflows that is not a configuration. With `steps` at its top it is one workflow, named by `name`
/// or after the file; with `workflows` it holds several by name. Its own `tasks` take precedence over those of
/// `catalog`. Its workflows may start each other and those of `others`. Returns the workflows of the file, or all
/// errors.
[[nodiscard]] Result<Workflows, ConfigErrors> read_workflow_file(const std::string& path, const Catalog& catalog,
                                                                 const Workflows& others = {});

/// Reads a text in the same way. `name` is its name in errors, and the name of a workflow that does not state one.
[[nodiscard]] Result<Workflows, ConfigErrors> read_workflow_text(const std::string& text, const std::string& name,
                                                                 const Catalog& catalog,
                                                                 const Workflows& others = {});

}  // namespace holdfast::config
