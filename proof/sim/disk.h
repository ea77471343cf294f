#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "proof/sim/dice.h"

namespace holdfast::sim {

/// A file in memory that remembers which sectors are not synced. When the power fails, each of these is kept or lost
/// independently.
class DiskFile {
public:
    [[nodiscard]] std::size_t size() const { return content_.size(); }
    /// Bytes beyond the end read as zeros; then it returns false.
    bool read(std::size_t offset, std::span<std::byte> into) const;
    void write(std::size_t offset, std::span<const std::byte> from);
    void truncate(std::size_t size);
    void sync() { unsynced_.clear(); }
    void lose_power(Dice& dice);

private:
    struct Write {
        std::size_t offset = 0;
        std::vector<std::byte> before;
        std::vector<std::byte> after;
        std::size_t size_before = 0;
    };

    std::vector<std::byte> content_;
    std::vector<Write> unsynced_;
};

/// A fault to inject into the k-th disk operation from now on that can have it.
struct DiskFault {
    enum class Kind {
        IoError,   ///< the operation fails
        Full,      ///< the write finds no room
        Busy,      ///< from here on every lock is refused
        Kill,      ///< the process is killed before the operation
        PowerCut,  ///< the power of the whole machine fails before the operation
    };
    Kind kind = Kind::IoError;
    int operations_before = 0;
};

/// A process, as the disk knows it. Once it is dead, its handles do nothing.
struct DiskClient {
    bool is_dead = false;
    std::optional<DiskFault> fault;
    std::optional<DiskFault::Kind> struck;  ///< since it was armed
    bool is_refused_locks = false;

    void arm(const DiskFault& what);
    /// The fault that struck; nullopt: its operation never came.
    std::optional<DiskFault::Kind> disarm();
};

/// The memory that all connections to a database share, and its locks. A power cut clears it.
struct SharedIndex {
    static constexpr int lock_count = 8;
    static constexpr std::size_t region_bytes = 32768;

    std::vector<std::unique_ptr<std::array<std::byte, region_bytes>>> regions;
    std::array<int, lock_count> shared_holders{};
    std::array<const void*, lock_count> exclusive_holder{};
    int users = 0;
};

/// Who holds which lock of a database file, by SQLite's levels.
struct FileLocks {
    std::map<const void*, int> levels;
};

/// A file of a disk, beside its name: a file that is replaced under its name lives on in the processes that hold it.
struct Inode {
    std::uint64_t number = 0;  ///< never used for two files
    DiskFile content = {};
    std::shared_ptr<SharedIndex> index = {};  ///< null: nobody uses it
    FileLocks locks = {};
    bool is_cut_off = false;  ///< the disk that it was on cannot be reached any more: every operation fails
};

/// The files on a disk.
using DiskImage = std::map<std::string, DiskFile>;

/// The disk of the machine that has the database.
class Disk {
public:
    explicit Disk(Dice dice) : dice_(std::move(dice)) {}

    [[nodiscard]] std::shared_ptr<Inode> open(const std::string& name);
    [[nodiscard]] bool has(const std::string& name) const { return files_.contains(name); }
    /// The number of the file that has this name now; 0: none.
    [[nodiscard]] std::uint64_t number_of(const std::string& name) const;
    void remove(const std::string& name) { files_.erase(name); }

    /// The files as every process sees them now. Only while no transaction is open.
    [[nodiscard]] DiskImage image() const;
    /// Puts the files of an image in the place of all others, on disk to the last sector.
    enum class Restore {
        Fresh,     ///< nothing is open
        Replaced,  ///< new files: processes that have the old ones open can go on using them
        FailOver,  ///< new files: nobody reaches the old ones any more
        InPlace,   ///< the files keep their numbers; processes with open files have lost them
    };
    void restore(const DiskImage& image, Restore how = Restore::Fresh);

    /// Loses data that was not synced. Processes with open files are dead.
    void lose_power();

    bool is_full = false;
    std::uint64_t operations = 0;
    std::uint64_t power_cuts = 0;
    /// The processes with open files, to be declared dead.
    std::vector<std::weak_ptr<DiskClient>> clients;
    [[nodiscard]] Dice& dice() { return dice_; }

private:
    void disconnect_all();

    Dice dice_;
    std::map<std::string, std::shared_ptr<Inode>> files_;
    std::uint64_t last_number_ = 0;
};

}  // namespace holdfast::sim
