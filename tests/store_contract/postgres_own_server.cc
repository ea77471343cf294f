#include "store_contract/postgres_own_server.h"

#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/descriptor.h"
#include "base/text.h"

namespace holdfast::contract {

namespace {

namespace fs = std::filesystem;

int unused_port() {
    const Descriptor door(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    if (bind(door.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        getsockname(door.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
        throw std::runtime_error("no port is free");
    return ntohs(address.sin_port);
}

/// Where Debian installs the newest version.
std::string programs() {
    std::string newest;
    for (const auto& version : fs::directory_iterator("/usr/lib/postgresql"))
        newest = std::max(newest, (version.path() / "bin").string());
    return newest;
}

void run_as_database_user(std::vector<std::string> command, const std::string& folder) {
    const std::string name = command.front();
    const int status = crew::run_to_end({.command = as_database_user(std::move(command)),
                                         .folder = "/",
                                         .log = folder + "/log",
                                         .output = crew::Stream::Logged,
                                         .errors = crew::Stream::Logged});
    std::ostringstream log;
    log << std::ifstream(folder + "/log").rdbuf();
    if (status != 0) throw std::runtime_error(concat(name, " failed: ", log.str()));
}

/// A test that is killed leaves no server behind.
std::vector<std::string> ending_with_the_test(std::vector<std::string> command) {
    command.insert(command.begin(), {"setpriv", "--pdeathsig", "KILL"});
    return as_database_user(std::move(command));
}

std::vector<pid_t> children_of(pid_t parent) {
    std::vector<pid_t> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        const std::string name = entry.path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        std::ifstream file(entry.path() / "stat");
        std::string text((std::istreambuf_iterator<char>(file)), {});
        const auto end = text.rfind(") ");
        if (end == std::string::npos) continue;
        char state = 0;
        pid_t above = 0;
        std::istringstream(text.substr(end + 2)) >> state >> above;
        if (above == parent) found.push_back(std::stoi(name));
    }
    return found;
}

}  // namespace

OwnServer::OwnServer() : folder_(folder_for_database_user()), port_(unused_port()) {
    run_as_database_user({programs() + "/initdb", "-D", data(), "-U", "postgres", "-A", "trust", "-E", "UTF8",
                          "--locale", "C.UTF-8", "--no-sync"},
                         folder_);
    std::ofstream(data() + "/postgresql.conf", std::ios::app)
        << "listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\nfsync = off\nshared_buffers = 32MB\n"
        << "max_connections = 50\n";
    start();
}

OwnServer::OwnServer(const StandbyOf& params) : folder_(folder_for_database_user()), port_(unused_port()) {
    run_as_database_user(
        {programs() + "/pg_basebackup", "-D", data(), "-R", "--no-sync", "-c", "fast", "-d", params.primary.url()},
        folder_);
    start();
}

OwnServer::~OwnServer() {
    if (is_frozen_) thaw();
    server_->dismiss(SIGQUIT);
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

void OwnServer::start() {
    server_ = std::make_unique<crew::Process>(crew::ProcessParams{
        .command = ending_with_the_test({programs() + "/postgres", "-D", data(), "-p", concat(port_)}),
        .folder = "/",
        .log = folder_ + "/log",
        .output = crew::Stream::Logged,
        .errors = crew::Stream::Logged});
    await([this] { return PQping(url().c_str()) == PQPING_OK; }, "PostgreSQL to start");
}

std::string OwnServer::url() const {
    return concat("postgresql://postgres@127.0.0.1:", port_, "/postgres");
}

std::string OwnServer::url_of(const OwnServer& first, const OwnServer& second) {
    return concat("postgresql://postgres@127.0.0.1:", first.port_, ",127.0.0.1:", second.port_, "/postgres");
}

/// The postmaster first: it starts no process any more when its children are looked for.
void OwnServer::send_to_all(int signal) const {
    kill(server_->pid(), signal);
    for (const pid_t child : children_of(server_->pid())) kill(child, signal);
}

void OwnServer::freeze() {
    is_frozen_ = true;
    (void)server_->stop();
    send_to_all(SIGSTOP);
}

void OwnServer::thaw() {
    is_frozen_ = false;
    send_to_all(SIGCONT);
}

void OwnServer::promote() const {
    raw().execute("SELECT pg_promote(true, 60)");
}

void OwnServer::set(const std::string& name, const std::string& value) const {
    auto sql = raw();
    sql.execute(concat("ALTER SYSTEM SET ", name, " = '", value, "'"));
    sql.execute("SELECT pg_reload_conf()");
    // Sessions read it in their own time: this one, too.
    await([&] { return sql.value("SHOW " + name) == value; }, name);
}

}  // namespace holdfast::contract
