#pragma once

#include <memory>
#include <string>
#include <vector>

#include "store_contract/postgres_raw.h"
#include "store_contract/spawned_program.h"

namespace holdfast::contract {

/// A PostgreSQL server of one test's own on a loopback port, which can hang, end and be promoted. Its data is not
/// safe from a crash of the machine.
class OwnServer {
public:
    OwnServer();
    struct StandbyOf {
        const OwnServer& primary;
    };
    explicit OwnServer(const StandbyOf& params);
    ~OwnServer();
    OwnServer(const OwnServer&) = delete;
    OwnServer& operator=(const OwnServer&) = delete;

    [[nodiscard]] int port() const { return port_; }
    [[nodiscard]] std::string url() const;
    /// A URL with both as its hosts.
    [[nodiscard]] static std::string url_of(const OwnServer& first, const OwnServer& second);
    [[nodiscard]] PostgresRaw raw() const { return PostgresRaw(url()); }

    /// SIGSTOP for all of its processes: connections stay open, and nothing is answered.
    void freeze();
    void thaw();
    /// Makes a standby the primary.
    void promote() const;
    /// Sets a parameter for all sessions, old and new, from now on.
    void set(const std::string& name, const std::string& value) const;

private:
    void make_folder();
    void start();
    [[nodiscard]] std::string data() const { return folder_ + "/data"; }
    void send_to_all(int signal) const;

    std::string folder_;
    int port_ = 0;
    std::unique_ptr<crew::Process> server_;
    bool is_frozen_ = false;
};

}  // namespace holdfast::contract
