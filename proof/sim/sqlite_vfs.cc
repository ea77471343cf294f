#include "proof/sim/sqlite_vfs.h"

#include <sqlite3.h>

#include <cstring>
#include <new>
#include <utility>

#include "base/assert.h"
#include "store/sqlite/file_place.h"

namespace holdfast::sim {

namespace {

Disk* the_disk = nullptr;
std::shared_ptr<DiskClient> opening_client;

enum class Operation { Read, Write, Sync, Lock };

/// SQLite allocates the memory, xOpen constructs the file in it and xClose destroys it.
struct OpenFile {
    sqlite3_file base;
    struct State {
        std::string name;
        std::shared_ptr<Inode> file;
        std::shared_ptr<DiskClient> client;
        int level = SQLITE_LOCK_NONE;
        std::shared_ptr<SharedIndex> index;  ///< null: not used yet. After a power cut dead processes keep theirs
        bool is_removed_on_close = false;
    };
    State* state;
};

OpenFile::State& state_of(sqlite3_file* file) {
    return *reinterpret_cast<OpenFile*>(file)->state;
}

bool can_happen_to(DiskFault::Kind kind, Operation operation) {
    switch (kind) {
        case DiskFault::Kind::IoError:
            return operation != Operation::Lock;
        case DiskFault::Kind::Full:
            return operation == Operation::Write;
        case DiskFault::Kind::Busy:
            return operation == Operation::Lock;
        case DiskFault::Kind::Kill:
        case DiskFault::Kind::PowerCut:
            return true;
    }
    HOLDFAST_ASSERT(false);
}

int io_error_of(Operation operation) {
    switch (operation) {
        case Operation::Read:
            return SQLITE_IOERR_READ;
        case Operation::Write:
            return SQLITE_IOERR_WRITE;
        case Operation::Sync:
            return SQLITE_IOERR_FSYNC;
        case Operation::Lock:
            return SQLITE_IOERR_LOCK;
    }
    HOLDFAST_ASSERT(false);
}

int strike(DiskClient& client, Operation operation) {
    const DiskFault::Kind kind = client.fault->kind;
    client.struck = kind;
    client.fault.reset();
    switch (kind) {
        case DiskFault::Kind::IoError:
            return io_error_of(operation);
        case DiskFault::Kind::Full:
            return SQLITE_FULL;
        case DiskFault::Kind::Busy:
            client.is_refused_locks = true;
            return SQLITE_BUSY;
        case DiskFault::Kind::Kill:
            client.is_dead = true;
            return io_error_of(operation);
        case DiskFault::Kind::PowerCut:
            the_disk->lose_power();
            client.is_dead = true;
            return io_error_of(operation);
    }
    HOLDFAST_ASSERT(false);
}

/// Called before every operation. Returns the error that it fails with, or SQLITE_OK.
int admit(OpenFile::State& state, Operation operation) {
    ++the_disk->operations;
    DiskClient& client = *state.client;
    if (client.is_dead || state.file->is_cut_off) return io_error_of(operation);
    if (client.is_refused_locks && operation == Operation::Lock) return SQLITE_BUSY;
    if (!client.fault || !can_happen_to(client.fault->kind, operation)) return SQLITE_OK;
    if (client.fault->operations_before-- > 0) return SQLITE_OK;
    return strike(client, operation);
}

std::span<std::byte> bytes(void* data, int size) {
    return {static_cast<std::byte*>(data), static_cast<std::size_t>(size)};
}

void let_go_of_index(sqlite3_file* file) {
    OpenFile::State& state = state_of(file);
    const auto index = std::exchange(state.index, nullptr);
    if (index && --index->users == 0 && state.file->index == index) state.file->index.reset();
}

int close_file(sqlite3_file* file) {
    OpenFile::State& state = state_of(file);
    let_go_of_index(file);
    state.file->locks.levels.erase(file);
    if (state.is_removed_on_close) the_disk->remove(state.name);
    delete &state;
    return SQLITE_OK;
}

int read_file(sqlite3_file* file, void* into, int size, sqlite3_int64 offset) {
    OpenFile::State& state = state_of(file);
    if (const int refused = admit(state, Operation::Read); refused != SQLITE_OK) return refused;
    const bool whole = state.file->content.read(static_cast<std::size_t>(offset), bytes(into, size));
    return whole ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

int write_file(sqlite3_file* file, const void* from, int size, sqlite3_int64 offset) {
    OpenFile::State& state = state_of(file);
    if (const int refused = admit(state, Operation::Write); refused != SQLITE_OK) return refused;
    const auto end = static_cast<std::size_t>(offset) + static_cast<std::size_t>(size);
    if (the_disk->is_full && end > state.file->content.size()) return SQLITE_FULL;
    state.file->content.write(static_cast<std::size_t>(offset),
                              {static_cast<const std::byte*>(from), static_cast<std::size_t>(size)});
    return SQLITE_OK;
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
    OpenFile::State& state = state_of(file);
    if (const int refused = admit(state, Operation::Write); refused != SQLITE_OK) return refused;
    state.file->content.truncate(static_cast<std::size_t>(size));
    return SQLITE_OK;
}

int sync_file(sqlite3_file* file, int) {
    OpenFile::State& state = state_of(file);
    if (const int refused = admit(state, Operation::Sync); refused != SQLITE_OK) return refused;
    state.file->content.sync();
    return SQLITE_OK;
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
    *size = static_cast<sqlite3_int64>(state_of(file).file->content.size());
    return SQLITE_OK;
}

int highest_of_others(const FileLocks& locks, const sqlite3_file* self) {
    int highest = SQLITE_LOCK_NONE;
    for (const auto& [holder, level] : locks.levels)
        if (holder != self) highest = std::max(highest, level);
    return highest;
}

int lock_file(sqlite3_file* file, int level) {
    OpenFile::State& state = state_of(file);
    if (level <= state.level) return SQLITE_OK;
    if (const int refused = admit(state, Operation::Lock); refused != SQLITE_OK) return refused;
    FileLocks& locks = state.file->locks;
    const int others = highest_of_others(locks, file);
    const int bearable = level == SQLITE_LOCK_SHARED     ? SQLITE_LOCK_RESERVED
                         : level == SQLITE_LOCK_RESERVED ? SQLITE_LOCK_SHARED
                                                         : SQLITE_LOCK_NONE;
    if (others > bearable) return SQLITE_BUSY;
    locks.levels[file] = state.level = level;
    return SQLITE_OK;
}

int unlock_file(sqlite3_file* file, int level) {
    OpenFile::State& state = state_of(file);
    state.level = std::min(state.level, level);
    auto& levels = state.file->locks.levels;
    if (state.level == SQLITE_LOCK_NONE || state.client->is_dead) {
        levels.erase(file);
    } else {
        levels[file] = state.level;
    }
    return SQLITE_OK;
}

int check_reserved_lock(sqlite3_file* file, int* is_reserved) {
    const OpenFile::State& state = state_of(file);
    *is_reserved = highest_of_others(state.file->locks, nullptr) >= SQLITE_LOCK_RESERVED ? 1 : 0;
    return SQLITE_OK;
}

int control_file(sqlite3_file* file, int operation, void* answer) {
    const OpenFile::State& state = state_of(file);
    if (operation == SQLITE_FCNTL_HAS_MOVED) {
        *static_cast<int*>(answer) = the_disk->number_of(state.name) == state.file->number ? 0 : 1;
        return SQLITE_OK;
    }
    if (operation == sqlite::place_control) {
        *static_cast<std::int64_t*>(answer) = static_cast<std::int64_t>(state.file->number);
        return SQLITE_OK;
    }
    return SQLITE_NOTFOUND;
}
int sector_size(sqlite3_file*) {
    return 4096;
}
int device_characteristics(sqlite3_file*) {
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

int map_index(sqlite3_file* file, int region, int size, int extend, void volatile** into) {
    OpenFile::State& state = state_of(file);
    *into = nullptr;
    if (state.client->is_dead || state.file->is_cut_off) return SQLITE_IOERR_SHMMAP;
    HOLDFAST_ASSERT(static_cast<std::size_t>(size) == SharedIndex::region_bytes);
    if (!state.index) {
        auto& shared = state.file->index;
        if (!shared) shared = std::make_shared<SharedIndex>();
        state.index = shared;
        ++shared->users;
    }
    SharedIndex& index = *state.index;
    const auto wanted = static_cast<std::size_t>(region) + 1;
    if (index.regions.size() < wanted && extend == 0) return SQLITE_OK;
    while (index.regions.size() < wanted)
        index.regions.push_back(std::make_unique<std::array<std::byte, SharedIndex::region_bytes>>());
    *into = index.regions[wanted - 1]->data();
    return SQLITE_OK;
}

/// Unlocking always works, also for dead processes: the system closes their files.
void unlock_index(SharedIndex& index, sqlite3_file* file, int first, int past, bool exclusive) {
    for (int i = first; i < past; ++i) {
        const auto lock = static_cast<std::size_t>(i);
        if (!exclusive) {
            --index.shared_holders[lock];
        } else if (index.exclusive_holder[lock] == file) {
            index.exclusive_holder[lock] = nullptr;
        }
    }
}

int lock_index(sqlite3_file* file, int offset, int count, int flags) {
    OpenFile::State& state = state_of(file);
    const bool exclusive = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
    const int past = offset + count;
    if ((flags & SQLITE_SHM_UNLOCK) != 0) {
        if (state.index) unlock_index(*state.index, file, offset, past, exclusive);
        return SQLITE_OK;
    }
    if (const int refused = admit(state, Operation::Lock); refused != SQLITE_OK) return refused;
    SharedIndex& index = *state.index;
    for (int i = offset; i < past; ++i) {
        const auto lock = static_cast<std::size_t>(i);
        if (index.exclusive_holder[lock] != nullptr) return SQLITE_BUSY;
        if (exclusive && index.shared_holders[lock] > 0) return SQLITE_BUSY;
    }
    for (int i = offset; i < past; ++i) {
        const auto lock = static_cast<std::size_t>(i);
        if (exclusive) {
            index.exclusive_holder[lock] = file;
        } else {
            ++index.shared_holders[lock];
        }
    }
    return SQLITE_OK;
}

void index_barrier(sqlite3_file*) {}

int unmap_index(sqlite3_file* file, int) {
    let_go_of_index(file);
    return SQLITE_OK;
}

const sqlite3_io_methods file_methods = {
    .iVersion = 2,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = file_size,
    .xLock = lock_file,
    .xUnlock = unlock_file,
    .xCheckReservedLock = check_reserved_lock,
    .xFileControl = control_file,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = device_characteristics,
    .xShmMap = map_index,
    .xShmLock = lock_index,
    .xShmBarrier = index_barrier,
    .xShmUnmap = unmap_index,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
    file->pMethods = nullptr;
    if (!opening_client || opening_client->is_dead) return SQLITE_CANTOPEN;
    static int temporary_files = 0;
    auto* state = new OpenFile::State;
    state->name = name == nullptr ? "temporary-" + std::to_string(++temporary_files) : name;
    state->file = the_disk->open(state->name);
    state->client = opening_client;
    state->is_removed_on_close = (flags & SQLITE_OPEN_DELETEONCLOSE) != 0;
    reinterpret_cast<OpenFile*>(file)->state = state;
    file->pMethods = &file_methods;
    if (out_flags != nullptr) *out_flags = flags;
    return SQLITE_OK;
}

int delete_file(sqlite3_vfs*, const char* name, int) {
    if (!the_disk->has(name)) return SQLITE_IOERR_DELETE_NOENT;
    the_disk->remove(name);
    return SQLITE_OK;
}

int has_access(sqlite3_vfs*, const char* name, int, int* result) {
    *result = the_disk->has(name) ? 1 : 0;
    return SQLITE_OK;
}

int full_path(sqlite3_vfs*, const char* name, int size, char* into) {
    sqlite3_snprintf(size, into, "%s", name);
    return SQLITE_OK;
}

int randomness(sqlite3_vfs*, int size, char* into) {
    for (int i = 0; i < size; ++i) into[i] = static_cast<char>(the_disk->dice().next());
    return size;
}

int sleep_for(sqlite3_vfs*, int microseconds) {
    return microseconds;  // no other process runs meanwhile: waiting is useless
}

int current_time(sqlite3_vfs*, sqlite3_int64* now) {
    *now = 213000000000000LL;
    return SQLITE_OK;
}

int last_error(sqlite3_vfs*, int, char*) {
    return 0;
}

sqlite3_vfs simulated_vfs() {
    sqlite3_vfs vfs{};
    vfs.iVersion = 2;
    vfs.szOsFile = sizeof(OpenFile);
    vfs.mxPathname = 512;
    vfs.zName = "simulated";
    vfs.xOpen = open_file;
    vfs.xDelete = delete_file;
    vfs.xAccess = has_access;
    vfs.xFullPathname = full_path;
    vfs.xRandomness = randomness;
    vfs.xSleep = sleep_for;
    vfs.xGetLastError = last_error;
    vfs.xCurrentTimeInt64 = current_time;
    return vfs;
}

sqlite3_vfs vfs = simulated_vfs();

}  // namespace

SqliteVfs::SqliteVfs(Disk& disk) {
    HOLDFAST_ASSERT(the_disk == nullptr);
    the_disk = &disk;
    sqlite3_vfs_register(&vfs, 1);
    // So that the same seed gives the same salts in the log.
    sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, 4711, nullptr);
}

SqliteVfs::~SqliteVfs() {
    sqlite3_vfs_unregister(&vfs);
    the_disk = nullptr;
}

OpeningFor::OpeningFor(std::shared_ptr<DiskClient> client)
    : before_(std::exchange(opening_client, std::move(client))) {}

OpeningFor::~OpeningFor() {
    opening_client = std::move(before_);
}

}  // namespace holdfast::sim
