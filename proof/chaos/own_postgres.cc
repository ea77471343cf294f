#include "proof/chaos/own_postgres.h"

#include <signal.h>

#include <fstream>
#include <stdexcept>
#include <thread>

#include "base/text.h"
#include "platform/programs.h"
#include "proof/chaos/gate.h"
#include "proof/chaos/postgres_programs.h"

namespace holdfast::chaos {

namespace {

constexpr auto start_patience = std::chrono::seconds(60);

}  // namespace

OwnPostgres::OwnPostgres(std::string folder, std::string log)
    : folder_(std::move(folder)), log_(std::move(log)), programs_(find_postgres_programs()), port_(free_port()) {
    give_to_postgres_owner(folder_);
    const auto made = platform::run_program(initdb_words(programs_, data()), start_patience);
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
    server_.emplace(crew::ProcessParams{.command = as_postgres_owner({programs_ + "/postgres", "-D", data()}),
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

void OwnPostgres::start_and_wait() {
    start();
    const auto end = std::chrono::steady_clock::now() + start_patience;
    while (!accepts_connections(data(), pid())) {
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
