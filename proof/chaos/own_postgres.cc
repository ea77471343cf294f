#include "proof/chaos/own_postgres.h"

#include <pwd.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/text.h"
#include "platform/programs.h"
#include "proof/chaos/gate.h"

namespace holdfast::chaos {

namespace {

using Words = std::vector<std::string>;

constexpr auto start_patience = std::chrono::seconds(60);

/// The folder of the newest version where Debian installs them; else the one that $PATH names.
std::string find_programs() {
    std::vector<std::string> found;
    std::error_code ignored;
    for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql", ignored))
        if (std::filesystem::exists(version.path() / "bin/initdb"))
            found.push_back((version.path() / "bin").string());
    if (!found.empty()) return std::ranges::max(found);
    const std::string initdb = platform::find_program("initdb");
    if (initdb.empty()) throw std::runtime_error("no PostgreSQL server is installed (initdb was not found)");
    return std::filesystem::path(initdb).parent_path().string();
}

/// PostgreSQL refuses to run as root. With this process it ends at once.
Words as_owner(Words words) {
    Words all = {"setpriv", "--pdeathsig", "QUIT"};
    if (geteuid() == 0) all.insert(all.end(), {"--reuid", "postgres", "--regid", "postgres", "--init-groups"});
    all.insert(all.end(), words.begin(), words.end());
    return all;
}

void give_to_owner(const std::string& folder) {
    const passwd* owner = geteuid() == 0 ? getpwnam("postgres") : nullptr;
    if (owner != nullptr && chown(folder.c_str(), owner->pw_uid, owner->pw_gid) != 0)
        throw std::runtime_error(concat("cannot give ", folder, " to the user postgres"));
}

std::string content_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

}  // namespace

OwnPostgres::OwnPostgres(std::string folder, std::string log)
    : folder_(std::move(folder)), log_(std::move(log)), programs_(find_programs()), port_(free_port()) {
    give_to_owner(folder_);
    const auto made =
        platform::run_program(as_owner({programs_ + "/initdb", "-D", data(), "-U", "postgres", "-A", "trust", "-E",
                                        "UTF8", "--locale", "C.UTF-8", "--wal-segsize=1"}),
                              start_patience);
    if (!made || made->status != 0)
        throw std::runtime_error(concat("initdb failed", made ? concat(": ", made->output) : std::string()));
    std::ofstream settings(data() + "/postgresql.conf", std::ios::app);
    settings << "listen_addresses = '127.0.0.1'\nport = " << port_ << "\nunix_socket_directories = ''\n"
             << "max_connections = 200\nshared_buffers = 64MB\nmax_wal_size = 32MB\nmin_wal_size = 8MB\n"
             << "restart_after_crash = on\n";
}

OwnPostgres::~OwnPostgres() {
    if (is_running()) server_->dismiss(SIGQUIT);
}

void OwnPostgres::start() {
    server_.emplace(crew::ProcessParams{.command = as_owner({programs_ + "/postgres", "-D", data()}),
                                        .folder = "/",
                                        .log = log_,
                                        .output = crew::Stream::Logged,
                                        .errors = crew::Stream::Logged});
}

void OwnPostgres::send(int signal) const {
    if (server_) server_->send(signal);
}

void OwnPostgres::note_end(pid_t pid, int status) {
    if (server_) server_->note_end(pid, status);
}

bool OwnPostgres::accepts_connections() const {
    const std::string state = content_of(data() + "/postmaster.pid");
    return state.starts_with(std::to_string(pid()) + "\n") && state.find("ready") != std::string::npos;
}

void OwnPostgres::start_and_wait() {
    start();
    const auto end = std::chrono::steady_clock::now() + start_patience;
    while (!accepts_connections()) {
        crew::reap_children([this](pid_t pid, int status) { note_end(pid, status); });
        if (std::chrono::steady_clock::now() > end || !is_running())
            throw std::runtime_error(concat("PostgreSQL does not start: ", content_of(log_)));
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

std::string OwnPostgres::url(int port) const {
    return concat("postgresql://postgres@127.0.0.1:", port, "/postgres?sslmode=disable&gssencmode=disable");
}

void OwnPostgres::dump(const std::string& path) const {
    (void)platform::run_program({programs_ + "/pg_dump", "-f", path, url(port_)}, start_patience);
}

}  // namespace holdfast::chaos
