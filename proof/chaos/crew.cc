#include "proof/chaos/crew.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

#include "base/text.h"
#include "platform/launch.h"
#include "platform/own_program.h"
#include "platform/process_table.h"
#include "platform/real_clock.h"
#include "proof/chaos/chaos_task.h"

namespace holdfast::chaos {

namespace {

using Clock = std::chrono::steady_clock;
using State = Member::State;

/// What the user has set for workers of their own is not for these.
std::vector<std::string> crew_environment(const CrewParams& params) {
    std::vector<std::string> kept;
    for (const std::string& entry : platform::environment_with(
             {concat(book_variable, "=", params.book), concat("TMPDIR=", params.logs), "LOG="}))
        if (!entry.starts_with("HOLDFAST_") && !entry.starts_with("NOTIFY_SOCKET=") && entry != "LOG=")
            kept.push_back(entry);
    return kept;
}

std::vector<pid_t> children_of(pid_t parent) {
    std::vector<pid_t> children;
    for (const platform::ProcessEntry& process : platform::list_processes())
        if (process.parent == parent && process.state != 'Z') children.push_back(process.pid);
    return children;
}

}  // namespace

Crew::Crew(CrewParams params) : params_(std::move(params)), environment_(crew_environment(params_)) {
    for (Member& member : params_.members) start(member);
}

Crew::~Crew() {
    for (const Member& member : params_.members)
        if (member.state != State::Gone) ::kill(member.pid, SIGKILL);
}

std::vector<std::string> Crew::words_for(const Member& member) const {
    std::vector<std::string> words = {"--config", params_.config, "--store", member.store_url};
    if (member.role == Role::Worker) {
        words.insert(words.begin(), {"worker", "--name", member.name, "--tag", concat("task:", chaos_task)});
    } else {
        words.insert(words.begin(), {"server", "--port", "0"});
    }
    return words;
}

void Crew::start(Member& member) {
    std::vector<std::string> words = {"sh", "-c", R"(exec "$@" >>"$LOG" 2>&1)", "sh",
                                      concat("/proc/", getpid(), "/exe")};
    for (std::string& word : words_for(member)) words.push_back(std::move(word));
    std::vector<std::string> environment = environment_;
    environment.push_back(concat("LOG=", params_.logs, '/', member.name, ".log"));
    const auto pid = platform::launch({.file = "/bin/sh",
                                       .arguments = words,
                                       .environment = environment,
                                       .directory = params_.logs,
                                       .most_user_processes = {}});
    if (!pid) throw std::runtime_error(concat(member.name, " cannot be started: ", pid.error()));
    const auto process = platform::find_process(*pid);
    member.pid = *pid;
    member.state = State::Up;
    member.life = lives_.size();
    lives_.push_back({.name = member.name,
                      .pid = *pid,
                      .start_time = process ? process->started : 0,
                      .seen_alive = platform::real_clock().now()});
}

std::vector<std::size_t> Crew::up(Role role) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < params_.members.size(); ++i)
        if (params_.members[i].role == role && params_.members[i].state == State::Up) found.push_back(i);
    return found;
}

void Crew::note_blow(std::size_t member, const Blow& blow) {
    lives_[params_.members[member].life].blows.push_back(blow);
}

void Crew::kill(std::size_t member, const Blow& blow) {
    note_blow(member, blow);
    lives_[params_.members[member].life].was_killed = true;
    params_.members[member].state = State::Leaving;
    ::kill(params_.members[member].pid, SIGKILL);
}

void Crew::stop(std::size_t member, const Blow& blow) {
    note_blow(member, blow);
    params_.members[member].state = State::Stopped;
    ::kill(params_.members[member].pid, SIGSTOP);
}

void Crew::resume(std::size_t member, pid_t pid) {
    Member& there = params_.members[member];
    if (there.pid != pid || there.state != State::Stopped) return;
    there.state = State::Up;
    ::kill(pid, SIGCONT);
}

void Crew::ask_to_leave(std::size_t member, const Blow& blow) {
    note_blow(member, blow);
    lives_[params_.members[member].life].was_asked_to_leave = true;
    params_.members[member].state = State::Leaving;
    ::kill(params_.members[member].pid, SIGTERM);
}

std::optional<pid_t> Crew::keeper_of(std::size_t member) const {
    const auto children = children_of(params_.members[member].pid);
    if (children.empty()) return std::nullopt;
    return children.front();
}

std::vector<pid_t> Crew::runners_of(std::size_t member) const {
    const auto keeper = keeper_of(member);
    return keeper ? children_of(*keeper) : std::vector<pid_t>();
}

void Crew::tend() {
    const Timestamp now = platform::real_clock().now();
    for (Member& member : params_.members) {
        Life& life = lives_[member.life];
        // One that is being killed may be dead already.
        if (member.state != State::Gone && !life.was_killed && ::kill(member.pid, 0) == 0) {
            const auto process = platform::find_process(member.pid);
            if (process && process->state != 'Z') life.seen_alive = now;
        }
        if (member.state == State::Gone && replaces_ && Clock::now() >= member.replace_at) start(member);
    }
}

void Crew::note_end(pid_t pid, int status) {
    for (Member& member : params_.members) {
        if (member.pid != pid || member.state == State::Gone) continue;
        member.state = State::Gone;
        member.replace_at = Clock::now() + params_.replacement_delay();
        lives_[member.life].ended = true;
        lives_[member.life].status = status;
    }
}

void Crew::restore() {
    for (Member& member : params_.members) {
        if (member.state == State::Stopped) ::kill(member.pid, SIGCONT);
        if (member.state == State::Stopped) member.state = State::Up;
        member.replace_at = {};
    }
    tend();
}

void Crew::dismiss() {
    replaces_ = false;
    for (const Member& member : params_.members) {
        if (member.state == State::Gone) continue;
        lives_[member.life].was_asked_to_leave = true;
        ::kill(member.pid, SIGTERM);
    }
}

bool Crew::is_gone() const {
    return std::ranges::all_of(params_.members, [](const Member& each) { return each.state == State::Gone; });
}

}  // namespace holdfast::chaos
