#include "store/sqlite/database.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "store/encoding.h"
#include "store/errors.h"
#include "store/sqlite/file_place.h"
#include "store/sqlite/lock_holders.h"
#include "store/sqlite/turnstile.h"

namespace holdfast::sqlite {

namespace {

/// How many steps of SQLite's machine are taken between two looks at the clock.
constexpr int steps_per_look = 10'000;
/// How long to sleep between two polls of a lock.
constexpr std::array naps_ms = {1, 2, 5, 10, 15, 20, 25, 50};

/// The failed action, the file, and SQLite's own message.
std::string account(sqlite3* handle, int code, std::string_view doing) {
    if (handle == nullptr) return concat(doing, ": ", sqlite3_errstr(code));
    const char* file = sqlite3_db_filename(handle, "main");
    return concat(doing, file == nullptr || *file == '\0' ? "" : concat(" of ", file), ": ", sqlite3_errmsg(handle));
}

/// The errno of the last refused write to the log. (sqlite3_system_errno() has lost it by the end of a COMMIT.)
int last_errno_of_log(sqlite3* handle) {
    sqlite3_file* log = nullptr;
    int cause = 0;
    if (sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) == SQLITE_OK && log != nullptr &&
        log->pMethods != nullptr)
        log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &cause);
    return cause;
}

/// SQLite takes only ENOSPC for a full disk; a file at its size limit and an exhausted quota count here, too.
bool is_out_of_room(sqlite3* handle, int code) {
    if (handle == nullptr || (code & 0xff) != SQLITE_IOERR) return false;
    for (const int cause : {last_errno_of_log(handle), sqlite3_system_errno(handle)})
        if (cause == EFBIG || cause == EDQUOT || cause == ENOSPC) return true;
    return false;
}

/// Adds the process that holds the lock, which SQLite does not name.
std::string locked(sqlite3* handle, const std::string& message) {
    const char* file = handle == nullptr ? nullptr : sqlite3_db_filename(handle, "main");
    if (file == nullptr || *file == '\0') return concat("the database is locked: ", message);
    return concat("the database is locked by ", name_lock_holder(file),
                  "; if it is stopped, continue or kill it: ", message);
}

[[noreturn]] void fail(sqlite3* handle, int code, std::string_view doing) {
    const auto message = account(handle, code, doing);
    if (is_out_of_room(handle, code)) throw store::Full(concat("no space left for the database: ", message));
    switch (code & 0xff) {
        case SQLITE_BUSY:
            throw store::Unavailable(locked(handle, message));
        case SQLITE_LOCKED:
        case SQLITE_PROTOCOL:
            throw store::Unavailable(concat("the database is busy: ", message));
        case SQLITE_INTERRUPT:
            throw store::Unavailable(concat("the database took too long, and the call was given up: ", message));
        case SQLITE_FULL:
            throw store::Full(concat("no space left for the database: ", message));
        case SQLITE_IOERR:
            throw store::Unavailable(concat("the database file cannot be read or written: ", message));
        case SQLITE_READONLY:
            throw store::Unusable(
                concat("the database file may not be written; check its permissions and its directory's: ", message));
        case SQLITE_NOTADB:
            throw store::Unusable(concat("the file is not an SQLite database: ", message));
        case SQLITE_CANTOPEN:
            throw store::Unusable(concat(
                "the database file cannot be opened; check that it exists and may be read and written: ", message));
        case SQLITE_PERM:
        case SQLITE_AUTH:
            throw store::Unusable(concat("the database refuses access: ", message));
        case SQLITE_CORRUPT:
            throw store::Unusable(concat("the database file is damaged; restore it from a backup: ", message));
        // Result codes are an open set: the rest are statements that the database does not accept.
        default:
            throw store::StoreError(concat("the database refused: ", message));
    }
}

int note_wal_pages(void* pages, sqlite3*, const char*, int count) {
    *static_cast<int*>(pages) = count;
    return SQLITE_OK;
}

}  // namespace

Query::~Query() {
    if (statement_ == nullptr) return;
    sqlite3_reset(statement_);  // keeps its bound values: the next use binds all of them anew
}

bool Query::step() {
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    fail(sqlite3_db_handle(statement_), sqlite3_extended_errcode(sqlite3_db_handle(statement_)),
         "running a statement");
}

bool Query::is_null(int column) const {
    return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}
std::int64_t Query::integer(int column) const {
    return sqlite3_column_int64(statement_, column);
}
double Query::real(int column) const {
    return sqlite3_column_double(statement_, column);
}

std::string_view Query::text(int column) const {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    if (text == nullptr) return {};
    return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

Uuid Query::uuid(int column) const {
    const void* bytes = sqlite3_column_blob(statement_, column);
    Uuid::Bytes copy{};
    if (bytes == nullptr || sqlite3_column_bytes(statement_, column) != static_cast<int>(copy.size())) return Uuid();
    std::memcpy(copy.data(), bytes, copy.size());
    return Uuid(copy);
}

std::optional<Timestamp> Query::optional_time(int column) const {
    if (is_null(column)) return std::nullopt;
    return time(column);
}

std::vector<std::string> Query::strings(int column) const {
    return store::decode_strings(text(column));
}

void Query::bind(int index, std::nullptr_t) {
    sqlite3_bind_null(statement_, index);
}
void Query::bind(int index, std::int64_t value) {
    sqlite3_bind_int64(statement_, index, value);
}
void Query::bind(int index, double value) {
    sqlite3_bind_double(statement_, index, value);
}

void Query::bind(int index, std::string_view value) {
    // An empty view may have no address, and SQLite takes that for NULL.
    const char* data = value.data() == nullptr ? "" : value.data();
    sqlite3_bind_text64(statement_, index, data, value.size(), SQLITE_STATIC, SQLITE_UTF8);
}

void Query::bind(int index, const Uuid& value) {
    if (value.is_nil()) {
        bind(index, nullptr);
    } else {
        const auto& kept = (prepared_->ids.at(static_cast<std::size_t>(index) - 1) = value).bytes();
        sqlite3_bind_blob(statement_, index, kept.data(), static_cast<int>(kept.size()), SQLITE_STATIC);
    }
}

Database::Database(const std::string& path, Mode mode) {
    if (mode == Mode::Create) create_private(path);
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (mode == Mode::Create ? SQLITE_OPEN_CREATE : 0);
    const int code = sqlite3_open_v2(path.c_str(), &handle_, flags, nullptr);
    if (code != SQLITE_OK) {
        sqlite3* opened = handle_;
        handle_ = nullptr;
        sqlite3_close_v2(opened);
        fail(nullptr, code, concat("opening ", path));
    }
    sqlite3_extended_result_codes(handle_, 1);
    sqlite3_busy_handler(handle_, wait_for_lock, this);
    sqlite3_progress_handler(handle_, steps_per_look, check_deadline, this);
    // Closing must not checkpoint: that is done under the writers' turn only.
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    // Nor must a commit: the hook replaces SQLite's automatic checkpoints. Both share one place, so PRAGMA
    // wal_autocheckpoint, even of 0, would remove the hook.
    sqlite3_wal_hook(handle_, note_wal_pages, &wal_pages_);
}

Database::~Database() {
    for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement.handle);
    for (const auto& [insert, statement] : inserts_) sqlite3_finalize(statement.handle);
    sqlite3_close_v2(handle_);
}

/// Waits for a program that locks the file without a turn. Sleeps by the VFS and adds up what it asked for: in the
/// simulator no time passes meanwhile.
int Database::wait_for_lock(void* self, int tries) {
    auto& database = *static_cast<Database*>(self);
    if (tries == 0) database.waited_ = Duration::zero();
    const auto& deadline = database.deadline_;
    if (deadline.has_passed() || database.waited_ >= deadline.patience().value_or(work_patience)) return 0;
    const int nap = naps_ms[std::min(static_cast<std::size_t>(tries), naps_ms.size() - 1)];
    sqlite3_sleep(nap);
    database.waited_ += std::chrono::milliseconds(nap);
    return 1;
}

int Database::check_deadline(void* self) {
    return static_cast<const Database*>(self)->deadline_.has_passed() ? 1 : 0;
}

bool Database::exists(const std::string& path) {
    sqlite3_vfs* vfs = sqlite3_vfs_find(nullptr);
    int found = 0;
    return vfs->xAccess(vfs, path.c_str(), SQLITE_ACCESS_EXISTS, &found) == SQLITE_OK && found != 0;
}

bool Database::has_moved() const {
    int moved = 0;
    return sqlite3_file_control(handle_, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0;
}

std::string Database::place() const {
    std::int64_t number = 0;
    if (sqlite3_file_control(handle_, "main", place_control, &number) == SQLITE_OK) return concat(number, "/?");
    return place_of(sqlite3_db_filename(handle_, "main"));
}

PreparedStatement& Database::prepared(Sql sql) {
    if (const auto found = statements_.find(sql); found != statements_.end()) return found->second;
    return statements_[sql] = prepare(sql.text());
}

PreparedStatement& Database::prepared_insert(Sql into, std::size_t columns, std::size_t rows) {
    if (const auto found = inserts_.find({into, rows}); found != inserts_.end()) return found->second;
    const std::string row = concat("(", join(std::vector<std::string>(columns, "?"), ", "), ")");
    const std::string sql = concat(into.text(), " VALUES ", join(std::vector<std::string>(rows, row), ", "));
    return inserts_[{into, rows}] = prepare(sql.c_str());
}

PreparedStatement Database::prepare(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v3(handle_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (code != SQLITE_OK) fail(handle_, code, "preparing a statement");
    return {statement, std::vector<Uuid>(static_cast<std::size_t>(sqlite3_bind_parameter_count(statement)))};
}

void Database::execute(const std::string& script) {
    const int code = sqlite3_exec(handle_, script.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) fail(handle_, code, "running a script");
}

std::int64_t Database::changes() const {
    return sqlite3_changes64(handle_);
}

void Database::checkpoint() {
    // Pages that readers still need stay in the log until the next time: a partial checkpoint is not a failure.
    sqlite3_wal_checkpoint_v2(handle_, nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
}

void Database::commit() {
    deadline_ = {};
    auto statement = query("COMMIT");
    try {
        statement.step();
    } catch (const store::Unavailable& failure) {
        if ((sqlite3_extended_errcode(handle_) & 0xff) != SQLITE_IOERR) throw;
        // The log may have been written but not synced: only a later read will tell.
        throw store::CommitInDoubt(concat("a commit may or may not have been applied: ", failure.what()));
    }
}

void Database::copy_to(Database& target) {
    sqlite3_backup* const copying = sqlite3_backup_init(target.handle_, "main", handle_, "main");
    if (copying == nullptr) fail(target.handle_, sqlite3_extended_errcode(target.handle_), "copying");
    sqlite3_backup_step(copying, -1);
    const int code = sqlite3_backup_finish(copying);
    if (code != SQLITE_OK) fail(target.handle_, code, "copying into the file");
}

void Database::roll_back() noexcept {
    deadline_ = {};
    if (sqlite3_get_autocommit(handle_) == 0) sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
}

}  // namespace holdfast::sqlite
