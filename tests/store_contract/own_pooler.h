#pragma once

#include <libpq-fe.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "base/text.h"
#include "store_contract/spawned_program.h"

namespace holdfast::contract {

/// Debian's PgBouncer in front of a server.
class OwnPooler {
public:
    /// `server`: its host and port, as PgBouncer's settings name them.
    OwnPooler(const std::string& server, const std::string& pool_mode) : folder_(folder_for_database_user()) {
        std::ofstream(folder_ + "/pgbouncer.ini")
            << "[databases]\n* = " << server << " user=postgres\n[pgbouncer]\npool_mode = " << pool_mode
            << "\nunix_socket_dir = " << folder_
            << "\nlisten_port = 6432\nlisten_addr =\nauth_type = any\nlogfile = " << folder_
            << "/log\nmin_pool_size = 4\ndefault_pool_size = 20\n";
        program_ = std::make_unique<SpawnedProgram>(
            as_database_user({"/usr/sbin/pgbouncer", "-q", folder_ + "/pgbouncer.ini"}));
        await([this] { return PQping(url("postgres").c_str()) == PQPING_OK; }, "PgBouncer to start");
    }
    ~OwnPooler() {
        program_.reset();
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    OwnPooler(const OwnPooler&) = delete;
    OwnPooler& operator=(const OwnPooler&) = delete;

    [[nodiscard]] std::string url(const std::string& database) const {
        return concat("postgresql://postgres@/", database, "?host=", folder_, "&port=6432");
    }

private:
    std::string folder_;
    std::unique_ptr<SpawnedProgram> program_;
};

}  // namespace holdfast::contract
