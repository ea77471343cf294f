#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "proof/chaos/findings.h"

namespace holdfast::chaos {

enum class Role { Worker, Server };

/// A place in the crew: filled by one process after the other.
struct Member {
    enum class State { Up, Stopped, Leaving, Gone };
    using Moment = std::chrono::steady_clock::time_point;

    Role role = Role::Worker;
    std::string name = {};
    std::string store_url = {};
    State state = State::Gone;
    pid_t pid = 0;
    std::size_t life = 0;    ///< the number of its current or last life
    Moment replace_at = {};  ///< once Gone
};

struct CrewParams {
    std::vector<Member> members = {};
    std::string config = {};  ///< the file
    std::string book = {};    ///< the folder of the ledger
    std::string logs = {};    ///< the folder
    std::function<Duration()> replacement_delay = [] { return Duration::zero(); };
};

/// The workers and servers of a run: `holdfast worker` and `holdfast server` of this program, as processes of their
/// own. None survives this object, nor the process that has it. One thread uses it.
class Crew {
public:
    explicit Crew(CrewParams params);
    ~Crew();
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    [[nodiscard]] const std::vector<Member>& members() const { return params_.members; }
    /// The places of this role whose process is up; `member` is an index of members().
    [[nodiscard]] std::vector<std::size_t> up(Role role) const;

    void kill(std::size_t member, const Blow& blow);
    void stop(std::size_t member, const Blow& blow);
    void ask_to_leave(std::size_t member, const Blow& blow);
    /// Of something that does not end it: its keeper or its path.
    void note_blow(std::size_t member, const Blow& blow);
    /// Lets a stopped process go on, if it still is that one.
    void resume(std::size_t member, pid_t pid);

    [[nodiscard]] std::optional<pid_t> keeper_of(std::size_t member) const;
    [[nodiscard]] std::vector<pid_t> runners_of(std::size_t member) const;

    /// Takes note of who lives, and fills places whose time has come.
    void tend();
    /// A child of this process has ended, with this status of waitpid.
    void note_end(pid_t pid, int status);
    /// Everybody is up, whatever was done to them.
    void restore();
    /// SIGTERM to all, and no replacement from now on.
    void dismiss();
    [[nodiscard]] bool is_gone() const;

    [[nodiscard]] const std::vector<Life>& lives() const { return lives_; }

private:
    void start(Member& member);
    [[nodiscard]] std::vector<std::string> words_for(const Member& member) const;

    CrewParams params_;
    std::vector<std::string> environment_;
    std::vector<Life> lives_;
    bool replaces_ = true;
};

}  // namespace holdfast::chaos
