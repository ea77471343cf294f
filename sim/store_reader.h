#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "holdfast/uuid.h"
#include "sim/disk.h"
#include "store/sqlite/database.h"
#include "store/store.h"

namespace holdfast::sim {

/// A row of `lease`.
struct LeaseSight {
    store::TaskLease lease;
    Uuid worker;
    bool started = false;
    core::History history;
    std::string stop_requested;  ///< "", "cancel", "timeout"
    std::string key;

    friend bool operator==(const LeaseSight&, const LeaseSight&) = default;
};
using LeasePicture = std::map<Uuid, LeaseSight>;

/// A row of `ending`.
struct EndingSight {
    TaskState state = TaskState::Completed;
    store::Lease lease = 0;
    std::string run_end;
    std::string result;
    std::string error_code;
    Timestamp finished_at;
    core::History history;

    friend bool operator==(const EndingSight&, const EndingSight&) = default;
};

/// Where a task is, beside `lease`.
struct PlaceSight {
    int places = 0;  ///< in how many it is at once, `lease` included
    std::optional<core::History> pending;
    std::optional<EndingSight> ending;
};

/// Reads the store's tables themselves, so that the checkers take nobody's word for what is in them. Nothing of this
/// goes wrong by chance.
class StoreReader {
public:
    explicit StoreReader(std::string path) : path_(std::move(path)) {}

    /// Whether there is anything to read.
    [[nodiscard]] bool open(Disk& disk);
    /// After a power cut.
    void close();

    [[nodiscard]] LeasePicture leases();
    [[nodiscard]] PlaceSight place_of(const Uuid& task);
    [[nodiscard]] std::map<Uuid, EndingSight> endings();
    [[nodiscard]] std::set<Uuid> tasks();
    /// Sentences about rows that contradict each other.
    [[nodiscard]] std::vector<std::string> contradictions();
    [[nodiscard]] std::string damage();  ///< empty: none

private:
    std::string path_;
    std::shared_ptr<DiskClient> client_;
    std::unique_ptr<sqlite::Database> db_;
};

}  // namespace holdfast::sim
