#include "proof/chaos/node.h"

#include <signal.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "base/text.h"
#include "platform/process_table.h"
#include "proof/chaos/postgres_programs.h"
#include "proof/crew/patience.h"
#include "proof/crew/processes.h"

namespace holdfast::chaos {

namespace {

using Words = std::vector<std::string>;

constexpr auto most_seconds_of_a_program = "60";
/// The last process of a killed server may still be dying, and then the next server refuses to start.
constexpr int most_launches = 50;

struct ProgramReport {
    int status = 0;
    std::string output;
    std::string errors;
};

/// Runs a program to its end. It prints its status itself, because another thread may reap it.
ProgramReport run_and_report(const Words& words) {
    Words all = {
        "sh", "-c", "\"$@\"; status=$?; echo; echo $status", "sh", "timeout", "-k", "5", most_seconds_of_a_program};
    all.insert(all.end(), words.begin(), words.end());
    crew::Process process(crew::ProcessParams{
        .command = all, .folder = "/", .output = crew::Stream::Piped, .errors = crew::Stream::Piped});
    auto [output, errors] = process.read_to_end();
    while (output.ends_with('\n')) output.pop_back();
    const std::size_t last = output.rfind('\n');
    ProgramReport report{.status = -1, .output = {}, .errors = std::move(errors)};
    if (last == std::string::npos) return report;
    std::from_chars(output.data() + last + 1, output.data() + output.size(), report.status);
    output.resize(last);
    while (output.ends_with('\n')) output.pop_back();
    report.output = std::move(output);
    return report;
}

std::string must_run(const Words& words) {
    ProgramReport report = run_and_report(words);
    if (report.status != 0)
        throw std::runtime_error(concat(join(words, " "), " failed (", report.status, "): ", report.errors));
    return std::move(report.output);
}

std::string end_of(const std::string& log) {
    constexpr std::size_t shown = 1000;
    return log.size() > shown ? log.substr(log.size() - shown) : log;
}

std::string as_setting(const std::string& text) {
    return concat('\'', text, '\'');
}

std::string link_to(int port) {
    return port == 0 ? std::string() : concat("host=127.0.0.1 port=", port, " user=postgres sslmode=disable");
}

std::string quorum_of(const Words& standbys) {
    Words names;
    for (const std::string& each : standbys) names.push_back(concat('"', each, '"'));
    return names.empty() ? std::string() : concat("ANY 1 (", join(names, ", "), ")");
}

}  // namespace

Node::Node(NodeParams params) : params_(std::move(params)), programs_(find_postgres_programs()) {
    configure({});
}

Node::~Node() {
    try {
        if (is_running()) kill();
    } catch (const std::runtime_error&) {  // the owner of the whole run ends what is left
    }
}

std::string Node::url() const {
    return concat("postgresql://postgres@127.0.0.1:", params_.port,
                  "/postgres?sslmode=disable&gssencmode=disable&connect_timeout=10");
}

void Node::initialise() const {
    (void)must_run(initdb_words(programs_, data()));
}

void Node::back_up(const std::string& folder) const {
    (void)must_run(as_postgres_owner({programs_ + "/pg_basebackup", "-D", folder, "-d", url(), "--checkpoint=fast",
                                      "--wal-method=stream", "--no-sync"}));
}

void Node::copy(const Node& source) const {
    std::filesystem::remove_all(data());
    source.back_up(data());
}

void Node::replace_data(const std::string& backup) const {
    std::filesystem::remove_all(data());
    std::filesystem::rename(backup, data());
}

/// The primary has its new timeline on disk only after a checkpoint.
bool Node::rewind_to(const Node& primary) const {
    (void)primary.ask("CHECKPOINT");
    return run_and_report(as_postgres_owner({programs_ + "/pg_rewind", "--target-pgdata", data(), "--source-server",
                                             primary.url(), "--no-sync", "--config-file", config()}))
               .status == 0;
}

/// The file is outside of the data, because copies of the data must not bring the settings of another node.
void Node::configure(const NodeSettings& settings) {
    settings_ = settings;
    const std::string path = config();
    {
        std::ofstream file(path + ".new");
        file << "listen_addresses = '127.0.0.1'\nport = " << params_.port << "\nunix_socket_directories = ''\n"
             << "cluster_name = " << as_setting(params_.name) << "\nmax_connections = 200\nshared_buffers = 32MB\n"
             << "max_wal_size = 64MB\nmin_wal_size = 8MB\nwal_keep_size = 512MB\nwal_log_hints = on\n"
             << "dynamic_shared_memory_type = mmap\n"  // in its data: nothing is left when it is killed
             << "wal_retrieve_retry_interval = 100ms\nwal_receiver_status_interval = 1s\nautovacuum_naptime = 10s\n"
             << "primary_conninfo = " << as_setting(link_to(settings.upstream_port)) << '\n'
             << "synchronous_standby_names = " << as_setting(quorum_of(settings.synchronous_standbys)) << '\n';
    }
    std::filesystem::rename(path + ".new", path);
    if (is_running()) server_->send(SIGHUP);
}

void Node::start(NodeRole role) {
    const std::string signal_file = data() + "/standby.signal";
    std::filesystem::remove(signal_file);
    if (role == NodeRole::Standby) {
        std::ofstream{signal_file};
        give_to_postgres_owner(signal_file);
    }
    launch();
    const crew::Deadline deadline(concat(params_.name, " to accept connections; see ", params_.log));
    for (int launches = 1; !accepts_connections(data(), server_->pid());) {
        (void)deadline.milliseconds_left();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        if (is_running()) continue;
        if (++launches > most_launches)
            throw std::runtime_error(concat(params_.name, " does not start: ", end_of(content_of(params_.log))));
        launch();
    }
}

void Node::launch() {
    server_.reset();
    server_.emplace(crew::ProcessParams{
        .command = as_postgres_owner({programs_ + "/postgres", "-D", data(), "-c", "config_file=" + config()}),
        .folder = "/",
        .log = params_.log,
        .output = crew::Stream::Logged,
        .errors = crew::Stream::Logged});
}

bool Node::is_running() const {
    if (!server_ || server_->has_ended()) return false;
    const auto process = platform::find_process(server_->pid());
    return process && process->state != 'Z';
}

std::vector<pid_t> Node::processes() const {
    std::vector<pid_t> all = {server_->pid()};
    for (const pid_t each : crew::children_of(server_->pid())) all.push_back(each);
    return all;
}

void Node::stop(int signal) {
    if (!is_running()) return;
    server_->send(signal);
    server_->wait();
}

/// The postmaster is stopped first, so that it starts no more processes meanwhile.
void Node::freeze() const {
    server_->send(SIGSTOP);
    send_to_all(SIGSTOP);
}

void Node::thaw() const {
    send_to_all(SIGCONT);
}

void Node::send_to_all(int signal) const {
    for (const pid_t each : processes())
        if (const auto process = platform::find_process(each)) platform::send_signal(*process, signal);
}

void Node::kill() {
    if (!is_running()) return;
    freeze();
    const std::vector<pid_t> all = processes();
    send_to_all(SIGKILL);
    server_->wait();
    for (const pid_t each : all)
        crew::wait_until([each] { return !crew::is_alive(each); }, concat("the end of a process of ", params_.name));
}

std::string Node::ask(const std::string& sql) const {
    return must_run({programs_ + "/psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", url(), "-c", sql});
}

void Node::wait_for_answer(const std::string& sql, const std::string& answer) const {
    const crew::Deadline deadline(concat(params_.name, " to answer ", answer, " to ", sql));
    while (ask(sql) != answer) {
        (void)deadline.milliseconds_left();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

void Node::dump(const std::string& path) const {
    (void)run_and_report({programs_ + "/pg_dump", "-f", path, url()});
}

}  // namespace holdfast::chaos
