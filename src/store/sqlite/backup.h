#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "store/restored.h"
#include "store/sqlite/lane.h"

namespace holdfast::sqlite {

struct CopyAnswer {
    store::CheckReport check = {};
    int schema = 0;           ///< version
    bool is_current = false;  ///< false: another program's version, so only the pages were checked
};
/// Copies the store in the file `from`, which may be in use, on one snapshot into the new file `to`, which then
/// consists of this one file, and checks the copy. Throws as open_store() does.
[[nodiscard]] CopyAnswer copy_store(const std::string& from, const std::string& to);

/// Makes a store of a copy that no other process uses: migrates it, checks it, and gives it a new rank. `name` is
/// what messages call it. Files beside it are left behind, but not a log. Throws as open_store() does.
[[nodiscard]] store::RestartAnswer restart_copy(const std::string& copy, const std::string& name,
                                                const store::RestartParams& params, const Clock& clock);

/// The names of the files that belong to a database, beside it.
[[nodiscard]] std::vector<std::string> companions_of(const std::string& database);

/// Keeps every other process from using a database while this object lives, so that its file can be replaced. Its log
/// is written back before.
class Seizure {
public:
    /// Throws store::Unusable, naming the user, when another process uses the database. One that cannot be read any
    /// more is seized, too.
    explicit Seizure(const std::string& database);

    [[nodiscard]] std::int64_t rank() const { return rank_; }  ///< 0: cannot be read

private:
    std::unique_ptr<Database> db_;
    std::int64_t rank_ = 0;
};

/// Gives the store a rank above `above` and above its own. Returns it.
std::int64_t begin_incarnation(Transaction& tx, std::int64_t above, const std::string& who);

}  // namespace holdfast::sqlite
