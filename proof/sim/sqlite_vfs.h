#pragma once

#include <memory>

#include "proof/sim/disk.h"

namespace holdfast::sim {

/// While it lives, every file that SQLite opens in this program is on the given disk. Only one may exist.
class SqliteVfs {
public:
    explicit SqliteVfs(Disk& disk);
    ~SqliteVfs();
    SqliteVfs(const SqliteVfs&) = delete;
    SqliteVfs& operator=(const SqliteVfs&) = delete;
};

/// Files that are opened while it lives belong to this client.
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
