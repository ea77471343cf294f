#include "client/backup_kinds.h"

#ifdef HOLDFAST_WITH_POSTGRES

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <thread>

#include "base/descriptor.h"
#include "base/text.h"
#include "base/throw_errno.h"
#include "platform/files.h"
#include "platform/programs.h"
#include "platform/workshop.h"
#include "store/errors.h"
#include "store/postgres/backup.h"

namespace holdfast::client {

namespace {

namespace fs = std::filesystem;
using platform::Existing;
using Words = std::vector<std::string>;

// ---- Programs of PostgreSQL
// -----------------------------------------------------------------------------------------

constexpr Duration brief = std::chrono::seconds(30);
constexpr Duration any_time = std::chrono::hours(24 * 20);

/// 15 of "pg_dump (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)"; 0: it cannot be run.
int major_version_of(const std::string& program) {
    const auto told = platform::run_program({program, "--version"}, brief);
    if (!told || told->status != 0) return 0;
    constexpr std::string_view mark = "(PostgreSQL) ";
    const auto found = told->output.find(mark);
    if (found == std::string::npos) return 0;
    int version = 0;
    const char* const digits = told->output.data() + found + mark.size();
    std::from_chars(digits, told->output.data() + told->output.size(), version);
    return version;
}

std::vector<std::string> places_of(const std::string& name) {
    std::vector<std::string> places{platform::find_program(name)};
    if (const auto told = platform::run_program({"pg_config", "--bindir"}, brief); told && told->status == 0)
        places.push_back(concat(trimmed(told->output), "/", name));
    return places;
}

/// A program that knows this version of the server.
std::string find_program_for(const std::string& name, int server) {
    int newest = 0;
    for (const std::string& place : places_of(name)) {
        const int version = place.empty() ? 0 : major_version_of(place);
        if (version >= server) return place;
        newest = std::max(newest, version);
    }
    if (newest == 0)
        throw Unusable(concat(name, " is not found: install the client programs of PostgreSQL ", server,
                              " (postgresql-client-", server, ")"));
    throw Unusable(concat(name, " is of PostgreSQL ", newest, ", but the server of ", server,
                          ": install its client programs (postgresql-client-", server, ")"));
}

/// A program under way. What it says on its error stream is told when it fails.
class ProgramRun {
public:
    /// `output`: -1: it prints into nothing.
    ProgramRun(Words words, const Words& environment, int output)
        : words_(std::move(words)), errors_(platform::memory_file("errors", "")) {
        const Descriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
        const auto started = platform::launch({.file = words_.front(),
                                               .arguments = words_,
                                               .environment = platform::environment_with(environment),
                                               .directory = fs::current_path(),
                                               .output = output < 0 ? nothing.get() : output,
                                               .input = nothing.get(),
                                               .errors = errors_.get()});
        if (!started) throw Unusable(started.error());
        pid_ = *started;
    }
    ~ProgramRun() {
        if (pid_ > 0) (void)platform::status_within(pid_, Duration::zero());
    }
    ProgramRun(const ProgramRun&) = delete;
    ProgramRun& operator=(const ProgramRun&) = delete;

    /// Waits for its end. Throws StoreError when it failed: `doing` says at what.
    void finish(const std::string& doing) {
        const auto status = platform::status_within(std::exchange(pid_, 0), any_time);
        if (status && WIFEXITED(*status) && WEXITSTATUS(*status) == 0) return;
        const std::string said = one_line(trimmed(platform::content_of(errors_.get())));
        const std::string message = concat(doing, ": ", said.empty() ? "it was killed" : said);
        if (said.find("No space left") != std::string::npos || said.find("File too large") != std::string::npos)
            throw Full(message);
        throw Unusable(message);
    }

private:
    Words words_;
    Descriptor errors_;
    pid_t pid_ = 0;
};

/// The lines that a program prints.
class PrintedLines {
public:
    PrintedLines(const Words& words, std::string doing) : doing_(std::move(doing)) {
        std::array<int, 2> ends{};
        if (pipe2(ends.data(), O_CLOEXEC) != 0) throw_errno("pipe");
        printed_ = Descriptor(ends[0]);
        const Descriptor printing(ends[1]);
        run_.emplace(words, Words(), printing.get());
    }

    /// False: there are no more, and the program has succeeded.
    bool next(std::string& line) {
        line.clear();
        while (true) {
            const auto end = std::find(buffer_.begin() + static_cast<std::ptrdiff_t>(read_), buffer_.end(), '\n');
            line.append(buffer_.begin() + static_cast<std::ptrdiff_t>(read_), end);
            if (end != buffer_.end()) {
                read_ = static_cast<std::size_t>(end - buffer_.begin()) + 1;
                return true;
            }
            if (!fill()) break;
        }
        if (run_) run_->finish(doing_);
        run_.reset();
        return !line.empty();
    }

private:
    bool fill() {
        buffer_.resize(64 * 1024);
        read_ = 0;
        ssize_t got = 0;
        while ((got = read(printed_.get(), buffer_.data(), buffer_.size())) < 0 && errno == EINTR) {
        }
        buffer_.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
        return got > 0;
    }

    std::string doing_;
    Descriptor printed_;
    std::optional<ProgramRun> run_;
    std::string buffer_;
    std::size_t read_ = 0;
};

// ---- Backup
// -----------------------------------------------------------------------------------------------------------

void dump(const BackupParams& params, const postgres::Snapshot& snapshot, const std::string& copy) {
    const auto access = postgres::access_for_programs(params.url);
    ProgramRun pg_dump({find_program_for("pg_dump", snapshot.server), "--dbname=" + access.connection,
                        "--format=custom", "--schema=holdfast", "--snapshot=" + snapshot.id, "--no-password",
                        "--lock-wait-timeout=60000", "--file=" + copy},
                       access.environment, -1);
    pg_dump.finish("pg_dump could not write the backup");
    fs::permissions(copy, fs::perms::owner_read | fs::perms::owner_write);  // whatever the umask
}

/// Unpacks everything: a backup that was not read is not one.
void read_back(const std::string& copy, int server) {
    ProgramRun pg_restore({find_program_for("pg_restore", server), "--file=-", copy}, {}, -1);
    pg_restore.finish("the backup that pg_dump wrote cannot be read");
}

// ---- Restore
// ----------------------------------------------------------------------------------------------------------

/// Refuses an archive of other schemas. An entry is "215; 1259 16386 TABLE holdfast task owner".
void require_archive_of_holdfast(const std::string& pg_restore, const std::string& file) {
    PrintedLines entries({pg_restore, "--list", file}, concat(file, " is damaged or not complete"));
    bool has_schema = false;
    for (std::string entry; entries.next(entry);) {
        const auto table = entry.find(" TABLE ");
        has_schema |= entry.find(" SCHEMA - holdfast ") != std::string::npos;
        if (table != std::string::npos && entry.find(" TABLE DATA ") == std::string::npos &&
            entry.compare(table, 16, " TABLE holdfast ") != 0)
            throw BadInput(concat(file, " is an archive of pg_dump, but not one of holdfast alone"));
    }
    if (!has_schema) throw BadInput(concat(file, " is an archive of pg_dump, but not one of holdfast"));
}

/// The sessions of processes that have just ended are gone a moment later.
void require_unused(const postgres::OpenParams& store) {
    constexpr int looks = 30;
    std::vector<std::string> users = postgres::users_of(store);
    for (int look = 1; look < looks && !users.empty(); ++look) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        users = postgres::users_of(store);
    }
    if (!users.empty()) throw Unusable(postgres::in_use_sentence(users));
}

}  // namespace

BackupAnswer back_up_postgres(const BackupParams& params) {
    require_new_file(params);
    const platform::Workshop workshop(params.file);
    const std::string copy = workshop.path_of("copy");
    BackupAnswer answer;
    postgres::with_snapshot({.url = params.url, .limits = {}, .migrate = false}, [&](const auto& snapshot) {
        answer.check = snapshot.check;
        answer.schema = snapshot.schema;
        answer.is_current = snapshot.is_current;
        if (snapshot.check.violates(store::CheckRule::Pages)) return;
        dump(params, snapshot, copy);
        read_back(copy, snapshot.server);
        answer.is_written = true;
    });
    if (!answer.is_written) return answer;
    answer.bytes = fs::file_size(copy);
    platform::put_in_place(copy, params.file, params.replaces ? Existing::Replaced : Existing::Kept);
    return answer;
}

store::RestartAnswer restore_postgres(const RestoreParams& params) {
    require_backup(params.file, BackupKind::Postgres);
    const postgres::RestoreTarget target{.store = {.url = params.url, .limits = {}, .migrate = false},
                                         .replaces = params.replaces,
                                         .name = params.file};
    const std::string pg_restore = find_program_for("pg_restore", postgres::server_version(target.store));
    require_archive_of_holdfast(pg_restore, params.file);
    require_unused(target.store);
    PrintedLines script({pg_restore, "--no-owner", "--no-privileges", "--file=-", params.file},
                        concat(params.file, " is damaged or not complete"));
    return postgres::restore(
        target, [&](std::string& line) { return script.next(line); }, params.restart);
}

}  // namespace holdfast::client

#else

#include "holdfast/errors.h"

namespace holdfast::client {

BackupAnswer back_up_postgres(const BackupParams&) {
    throw BadInput("this build has no PostgreSQL store");
}

store::RestartAnswer restore_postgres(const RestoreParams&) {
    throw BadInput("this build has no PostgreSQL store");
}

}  // namespace holdfast::client

#endif
