#pragma once

#include <memory>

#include "proof/sim/disk.h"

namespace holdfast::sim {

/// While it lives, everything that SQLite opens in this program is on the given disk. One at a time.
class SqliteVfs {
public:
    explicit SqliteVfs(Disk& disk);
    ~SqliteVfs();
    SqliteVfs(const SqliteVfs&) = delete;
    SqliteVfs& operator=(const SqliteVfs&) = delete;
};

/// Whatever is opened while it lives belongs to this client.
class OpeningFor {
public:
    explicit OpeningFor(std::shared_ptr<DiskClient> client);
    ~OpeningFor();
    OpeningFor(const OpeningFor&) = delete;
    OpeningFor& operator=(const OpeningFor&) = delete;

private:
    std::shared_ptr<DiskClient> before_;
};

}  // namespace holdfast::sim
