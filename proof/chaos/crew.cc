#include "proof/chaos/crew.h"

#include <signal.h>

#include <algorithm>

#include "base/text.h"
#include "platform/process_table.h"
#include "platform/real_clock.h"
#include "proof/chaos/chaos_task.h"
#include "proof/crew/processes.h"

namespace holdfast::chaos {

namespace {

using Clock = std::chrono::steady_clock;
using State = Member::State;

}  // namespace

Crew::Crew(CrewParams params) : params_(std::move(params)) {
    for (Member& member : params_.members) start(member);
}

std::vector<std::string> Crew::command_of(const Member& member) const {
    std::vector<std::string> words = {"holdfast", "server", "--port", "0"};
    if (member.role == Role::Worker)
        words = {"holdfast", "worker", "--name", member.name, "--tag", concat("task:", chaos_task)};
    words.insert(words.end(), {"--config", params_.config, "--store", member.store_url});
    return words;
}

void Crew::start(Member& member) {
    member.process.emplace(crew::ProcessParams{
        .command = command_of(member),
        .program = crew::own_program,
        .environment =
            crew::crew_environment({concat(book_variable, "=", params_.book), concat("TMPDIR=", params_.logs)}),
        .folder = params_.logs,
        .log = concat(params_.logs, '/', member.name, ".log"),
        .output = crew::Stream::Logged,
        .errors = crew::Stream::Logged});
    const auto process = platform::find_process(member.process->pid());
    member.state = State::Up;
    member.life = lives_.size();
    lives_.push_back({.name = member.name,
                      .pid = member.process->pid(),
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
    life_of(member).blows.push_back(blow);
}

void Crew::kill(std::size_t member, const Blow& blow) {
    note_blow(member, blow);
    life_of(member).was_killed = true;
    params_.members[member].state = State::Leaving;
    params_.members[member].process->send(SIGKILL);
}

void Crew::stop(std::size_t member, const Blow& blow) {
    note_blow(member, blow);
    params_.members[member].state = State::Stopped;
    params_.members[member].process->send(SIGSTOP);
}

void Crew::resume(std::size_t member, pid_t pid) {
    Member& there = params_.members[member];
    if (there.process->pid() != pid || there.state != State::Stopped) return;
    there.state = State::Up;
    there.process->send(SIGCONT);
}

void Crew::ask_to_leave(std::size_t member, const Blow& blow) {
    note_blow(member, blow);
    life_of(member).was_asked_to_leave = true;
    params_.members[member].state = State::Leaving;
    params_.members[member].process->send(SIGTERM);
}

std::optional<pid_t> Crew::keeper_of(std::size_t member) const {
    const auto children = crew::children_of(params_.members[member].process->pid());
    if (children.empty()) return std::nullopt;
    return children.front();
}

std::vector<pid_t> Crew::runners_of(std::size_t member) const {
    const auto keeper = keeper_of(member);
    return keeper ? crew::children_of(*keeper) : std::vector<pid_t>();
}

void Crew::tend() {
    const Timestamp now = platform::real_clock().now();
    for (Member& member : params_.members) {
        Life& life = lives_[member.life];
        // A member that is being killed may be dead already.
        if (member.state != State::Gone && !life.was_killed) {
            const auto process = platform::find_process(member.process->pid());
            if (process && process->state != 'Z') life.seen_alive = now;
        }
        if (member.state == State::Gone && replaces_ && Clock::now() >= member.replace_at) start(member);
    }
}

void Crew::note_end(pid_t pid, int status) {
    for (Member& member : params_.members) {
        if (!member.process->note_end(pid, status)) continue;
        member.state = State::Gone;
        member.replace_at = Clock::now() + params_.replacement_delay();
        lives_[member.life].ended = true;
        lives_[member.life].status = status;
    }
}

void Crew::restore() {
    for (Member& member : params_.members) {
        if (member.state == State::Stopped) {
            member.process->send(SIGCONT);
            member.state = State::Up;
        }
        member.replace_at = {};
    }
    tend();
}

void Crew::dismiss() {
    replaces_ = false;
    for (const Member& member : params_.members) {
        if (member.state == State::Gone) continue;
        lives_[member.life].was_asked_to_leave = true;
        member.process->send(SIGTERM);
    }
}

bool Crew::is_gone() const {
    return std::ranges::all_of(params_.members, [](const Member& each) { return each.state == State::Gone; });
}

}  // namespace holdfast::chaos
