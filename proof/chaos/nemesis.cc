#include "proof/chaos/nemesis.h"

#include <signal.h>

#include <algorithm>
#include <thread>

#include "base/text.h"
#include "platform/process_table.h"
#include "platform/real_clock.h"

namespace holdfast::chaos {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto start_again = std::chrono::milliseconds(300);
/// A cluster is left alone for so long after a fault: a run in which nothing gets done proves nothing.
constexpr auto quiet_of_cluster = std::chrono::seconds(2);
constexpr auto peace_turn = std::chrono::milliseconds(20);

/// One of the items.
template <typename Item>
const Item& drawn(const std::vector<Item>& items, std::uint64_t draw) {
    return items[draw % items.size()];
}

}  // namespace

Nemesis::Nemesis(Battlefield field, std::vector<Fault> plan) : field_(field), plan_(std::move(plan)) {}

void Nemesis::turn() {
    reap();
    field_.crew.tend();
    tend_postgres();
    tend_cluster();
    run_follow_ups();
    for (; next_ < plan_.size() && Clock::now() >= began_ + plan_[next_].at; ++next_) {
        if (must_wait(plan_[next_])) {
            began_ = Clock::now() - plan_[next_].at;
            return;
        }
        carry_out(plan_[next_]);
    }
}

bool Nemesis::is_done() {
    return next_ == plan_.size() && (field_.cluster == nullptr || field_.cluster->is_whole());
}

/// A cluster has one fault at a time: the rest of the plan waits until it has been repaired.
bool Nemesis::must_wait(const Fault& fault) {
    return is_of_cluster(fault.kind) && field_.cluster != nullptr &&
           (!field_.cluster->is_whole() || Clock::now() < field_.cluster->whole_since() + quiet_of_cluster);
}

void Nemesis::make_peace() {
    next_ = plan_.size();
    for (auto& [at, what] : std::exchange(follow_ups_, {})) what();
    postgres_down_until_ = {};
    while (field_.cluster != nullptr && !field_.cluster->is_whole()) {
        reap();
        field_.crew.tend();
        std::this_thread::sleep_for(peace_turn);
    }
    tend_cluster();
    field_.crew.restore();
}

/// Children, and the orphans of killed workers and servers.
void Nemesis::reap() {
    crew::reap_children([this](pid_t pid, int status) {
        field_.crew.note_end(pid, status);
        if (field_.postgres != nullptr) field_.postgres->note_end(pid, status);
    });
}

/// After a kill it starts only when the last of its old processes has ended; until then it is tried again.
void Nemesis::tend_postgres() {
    if (field_.postgres == nullptr || field_.postgres->is_running() || Clock::now() < postgres_down_until_) return;
    postgres_down_until_ = Clock::now() + start_again;
    field_.postgres->start();
}

/// A fault of a cluster lasts until the cluster is whole again.
void Nemesis::tend_cluster() {
    if (!cluster_blow_ || !field_.cluster->is_whole()) return;
    Blow& blow = blows_[*std::exchange(cluster_blow_, std::nullopt)];
    blow.length = platform::real_clock().now() - blow.at;
}

void Nemesis::run_follow_ups() {
    const Moment now = Clock::now();
    std::vector<std::function<void()>> due;
    for (const auto& [at, what] : follow_ups_)
        if (at <= now) due.push_back(what);
    std::erase_if(follow_ups_, [now](const auto& each) { return each.first <= now; });
    for (const auto& what : due) what();
}

void Nemesis::later(Duration delay, std::function<void()> what) {
    follow_ups_.emplace_back(Clock::now() + delay, std::move(what));
}

Blow& Nemesis::note(const Fault& fault, std::string whom, pid_t pid) {
    blows_.push_back({.kind = fault.kind,
                      .at = platform::real_clock().now(),
                      .length = fault.length,
                      .whom = std::move(whom),
                      .pid = pid});
    return blows_.back();
}

void Nemesis::carry_out(const Fault& fault) {
    const std::size_t before = blows_.size();
    switch (fault.kind) {
        case FaultKind::KillWorker:
        case FaultKind::StopWorker:
        case FaultKind::DrainWorker:
            hit_member(fault, Role::Worker);
            break;
        case FaultKind::KillServer:
        case FaultKind::StopServer:
        case FaultKind::DrainServer:
            hit_member(fault, Role::Server);
            break;
        case FaultKind::KillRunner:
        case FaultKind::StopRunner:
            hit_runner(fault);
            break;
        case FaultKind::KillKeeper:
            hit_keeper(fault);
            break;
        case FaultKind::CutPath:
        case FaultKind::ResetPath:
        case FaultKind::RefusePath:
            hit_path(fault);
            break;
        case FaultKind::RestartFast:
        case FaultKind::RestartImmediate:
        case FaultKind::KillPostmaster:
            hit_postgres(fault);
            break;
        case FaultKind::FillDisk:
            fill_disk(fault);
            break;
        case FaultKind::BurnCpu:
            burn_cpu(fault);
            break;
        case FaultKind::PromoteStandby:
        case FaultKind::FreezePrimary:
        case FaultKind::LoseStandby:
        case FaultKind::ZombiePrimary:
        case FaultKind::AsyncCut:
        case FaultKind::RestoreBackup:
            hit_cluster(fault);
            break;
    }
    if (blows_.size() == before) ++skipped_;
}

void Nemesis::hit_member(const Fault& fault, Role role) {
    const auto there = field_.crew.up(role);
    if (there.empty()) return;
    const std::size_t member = drawn(there, fault.draw);
    const Member& hit = field_.crew.members()[member];
    const pid_t pid = hit.process->pid();
    Blow& blow = note(fault, hit.name, pid);
    if (fault.kind == FaultKind::StopWorker || fault.kind == FaultKind::StopServer) {
        field_.crew.stop(member, blow);
        later(fault.length, [this, member, pid] { field_.crew.resume(member, pid); });
        return;
    }
    blow.length = {};
    if (fault.kind == FaultKind::KillWorker || fault.kind == FaultKind::KillServer)
        field_.crew.kill(member, blow);
    else
        field_.crew.ask_to_leave(member, blow);
}

void Nemesis::hit_runner(const Fault& fault) {
    const auto there = field_.crew.up(Role::Worker);
    if (there.empty()) return;
    const std::size_t member = drawn(there, fault.draw);
    const auto runners = field_.crew.runners_of(member);
    if (runners.empty()) return;
    const auto runner = platform::find_process(drawn(runners, fault.draw / 64));
    if (!runner) return;
    Blow& blow = note(fault, concat("a runner of ", field_.crew.members()[member].name), runner->pid);
    if (fault.kind == FaultKind::StopRunner) {
        platform::send_signal(*runner, SIGSTOP);
        later(fault.length, [process = *runner] { platform::send_signal(process, SIGCONT); });
    } else {
        blow.length = {};
        platform::send_signal(*runner, SIGKILL);
    }
}

void Nemesis::hit_keeper(const Fault& fault) {
    const auto there = field_.crew.up(Role::Worker);
    if (there.empty()) return;
    const std::size_t member = drawn(there, fault.draw);
    const auto pid = field_.crew.keeper_of(member);
    const auto keeper = pid ? platform::find_process(*pid) : std::nullopt;
    if (!keeper) return;
    Blow& blow = note(fault, concat("the keeper of ", field_.crew.members()[member].name), *pid);
    blow.length = {};
    field_.crew.note_blow(member, blow);
    platform::send_signal(*keeper, SIGKILL);
}

void Nemesis::hit_path(const Fault& fault) {
    if (field_.gates == nullptr) return;
    auto& gates = *field_.gates;
    const std::size_t one = fault.draw % gates.size();
    const auto& members = field_.crew.members();
    const std::string whom = fault.hits_all ? "everybody" : one < members.size() ? members[one].name : "the client";
    Blow& blow = note(fault, whom);
    if (fault.kind == FaultKind::ResetPath) blow.length = {};
    for (std::size_t i = 0; i < gates.size(); ++i) {
        if (!fault.hits_all && i != one) continue;
        apply_to_gate(*gates[i], fault);
        if (i < members.size()) field_.crew.note_blow(i, blow);
    }
}

void Nemesis::apply_to_gate(Gate& gate, const Fault& fault) {
    if (fault.kind == FaultKind::ResetPath) return gate.reset();
    const Gate::Mode mode = fault.kind == FaultKind::CutPath ? Gate::Mode::Cut : Gate::Mode::Refuse;
    shut_[&gate].push_back(mode);
    gate.set(mode);
    later(fault.length, [this, &gate, mode] { end_on_gate(gate, mode); });
}

/// The gate opens when the last of its faults ends.
void Nemesis::end_on_gate(Gate& gate, Gate::Mode mode) {
    std::vector<Gate::Mode>& lasting = shut_[&gate];
    lasting.erase(std::ranges::find(lasting, mode));
    gate.set(lasting.empty() ? Gate::Mode::Open : lasting.back());
}

void Nemesis::hit_postgres(const Fault& fault) {
    if (field_.postgres == nullptr || !field_.postgres->is_running()) return;
    note(fault, "PostgreSQL", field_.postgres->pid());
    postgres_down_until_ = Clock::now() + fault.length;
    field_.postgres->send(fault.kind == FaultKind::RestartFast        ? SIGINT
                          : fault.kind == FaultKind::RestartImmediate ? SIGQUIT
                                                                      : SIGKILL);
}

void Nemesis::hit_cluster(const Fault& fault) {
    if (field_.cluster == nullptr) return;
    note(fault, "the cluster");
    cluster_blow_ = blows_.size() - 1;
    field_.cluster->strike(fault);
}

void Nemesis::fill_disk(const Fault& fault) {
    if (field_.disk == nullptr) return;
    note(fault, "the file system of the store");
    field_.disk->fill();
    ++fills_;
    later(fault.length, [this] {
        if (--fills_ == 0) field_.disk->free();
    });
}

/// In separate processes, because the nemesis needs its share of the processor.
void Nemesis::burn_cpu(const Fault& fault) {
    if (!burners_.empty()) return;
    note(fault, "the machine");
    const unsigned burners = 2 * std::max(1U, std::thread::hardware_concurrency());
    for (unsigned i = 0; i < burners; ++i)
        burners_.emplace_back(crew::ProcessParams{.command = {"sh", "-c", "while :; do :; done"}, .folder = "/"});
    later(fault.length, [this] { burners_.clear(); });
}

}  // namespace holdfast::chaos
