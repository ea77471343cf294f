#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "proof/chaos/findings.h"
#include "proof/crew/process.h"

namespace holdfast::chaos {

enum class Role { Worker, Server };

/// A position in the crew: filled by one process after the other.
struct Member {
    enum class State { Up, Stopped, Leaving, Gone };
    using Moment = std::chrono::steady_clock::time_point;

    Role role = Role::Worker;
    std::string name = {};
    std::string store_url = {};
    State state = State::Gone;
    std::optional<crew::Process> process = {};  ///< the current or last one
    std::size_t life = 0;                       ///< the number of its life
    Moment replace_at = {};                     ///< once Gone
};

struct CrewParams {
    std::vector<Member> members = {};
    std::string config = {};  ///< the file
    std::string book = {};    ///< the folder of the ledger
    std::string logs = {};    ///< the folder
    std::function<Duration()> replacement_delay = [] { return Duration::zero(); };
};

/// The workers and servers of a run: `holdfast worker` and `holdfast server` of this program, as processes of their
/// own. All of them end with this object, and with the process that has it. For one thread.
class Crew {
public:
    explicit Crew(CrewParams params);
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    [[nodiscard]] const std::vector<Member>& members() const { return params_.members; }
    /// The members of this role whose process is up, as indexes of members().
    [[nodiscard]] std::vector<std::size_t> up(Role role) const;

    void kill(std::size_t member, const Blow& blow);
    void stop(std::size_t member, const Blow& blow);
    void ask_to_leave(std::size_t member, const Blow& blow);
    /// Records a blow that does not end the member: to its keeper or its path.
    void note_blow(std::size_t member, const Blow& blow);
    /// Continues a stopped process, if the member is still the one with this pid.
    void resume(std::size_t member, pid_t pid);

    [[nodiscard]] std::optional<pid_t> keeper_of(std::size_t member) const;
    [[nodiscard]] std::vector<pid_t> runners_of(std::size_t member) const;

    /// Notes which processes are alive, and starts replacements that are due.
    void tend();
    /// Notes that a child of this process has ended, with this status of waitpid.
    void note_end(pid_t pid, int status);
    /// Brings every member up again, whatever was done to it.
    void restore();
    /// Sends SIGTERM to all; nobody is replaced from now on.
    void dismiss();
    [[nodiscard]] bool is_gone() const;

    [[nodiscard]] const std::vector<Life>& lives() const { return lives_; }

private:
    void start(Member& member);
    [[nodiscard]] std::vector<std::string> command_of(const Member& member) const;
    Life& life_of(std::size_t member) { return lives_[params_.members[member].life]; }

    CrewParams params_;
    std::vector<Life> lives_;
    bool replaces_ = true;
};

}  // namespace holdfast::chaos
