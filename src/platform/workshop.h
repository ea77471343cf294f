#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "base/descriptor.h"

namespace holdfast::platform {

/// An empty folder beside a file that is being made, on the same file system: "<file>.unfinished". It is removed with
/// its contents when this object is destroyed and when a signal (SIGINT, SIGTERM, SIGHUP) ends the process; a folder
/// that a killed process left behind is replaced. One at a time per process. The signals are blocked in the calling
/// thread and in threads that it starts meanwhile.
class Workshop {
public:
    /// Throws std::system_error, of EBUSY when another process is making the same file.
    explicit Workshop(const std::string& file);
    ~Workshop();
    Workshop(const Workshop&) = delete;
    Workshop& operator=(const Workshop&) = delete;

    /// The path of a file in it.
    [[nodiscard]] std::string path_of(const std::string& name) const;

private:
    class SignalThread;

    std::string folder_;
    Descriptor lock_;
    std::unique_ptr<SignalThread> signals_;
};

/// What becomes of a file that is there already.
enum class Existing { Kept, Replaced };

/// Moves a finished file to its place, whole or not at all, and returns once it is on disk there. Throws
/// std::system_error, of EEXIST for an existing file that is to be kept.
void put_in_place(const std::string& finished, const std::string& place, Existing existing);

/// Copies the content of a regular file into a new one that only this user can read. Throws std::system_error.
void copy_file(const std::string& from, const std::string& to);

/// Gives a file the permissions and, as far as this process may, the owner of another one, if that exists.
void share_like(const std::string& other, const std::string& file);

}  // namespace holdfast::platform
