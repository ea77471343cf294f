#include "runner/program_pool.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace holdfast::runner {

namespace {

constexpr Duration boot_patience = std::chrono::seconds(30);
constexpr Duration longest_pause = std::chrono::seconds(30);
/// Between two starts, after so many failed ones.
Duration pause_after(std::size_t failures) {
    constexpr std::size_t most_doublings = 6;
    return std::min<Duration>(longest_pause,
                              std::chrono::milliseconds(500) * (1 << std::min(failures - 1, most_doublings)));
}

std::vector<std::string> names_of(const ProgramHello& hello) {
    std::vector<std::string> names;
    for (const ProgramTask& task : hello.tasks) names.push_back(task.name);
    return names;
}

}  // namespace

ProgramPool::ProgramPool(platform::ServiceLoop& loop, std::vector<KnownProgram> programs, std::size_t slots,
                         Ports ports)
    : loop_(loop),
      slots_(slots),
      ports_(std::move(ports)),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
    for (KnownProgram& each : programs) {
        for (const std::string& name : names_of(each.hello)) program_by_task_[name] = programs_.size();
        programs_.push_back({.command = std::move(each.command), .hello = std::move(each.hello)});
    }
    loop_.watch(timer_.get(), [this] { check_boots(); });
}

ProgramPool::~ProgramPool() {
    loop_.forget(timer_.get());
}

void ProgramPool::use(std::unique_ptr<ProcessPool> processes) {
    processes_ = std::move(processes);
    processes_->use({.message = [this](Host host, Message message) { hear(host, std::move(message)); },
                     .gone = [this](const engine::RunnerGone& gone) { host_gone(gone); }});
    for (std::size_t program = 0; program < programs_.size(); ++program) start_copy(program);
}

// ---- Orders ------------------------------------------------------------------------------------------------------

void ProgramPool::spawn(Slot slot) {
    processes_->spawn(slot);
}

std::optional<std::size_t> ProgramPool::program_of(const engine::RunOrder& order) const {
    if (!order.spec.empty()) return std::nullopt;
    const auto found = program_by_task_.find(order.name);
    return found == program_by_task_.end() ? std::nullopt : std::optional(found->second);
}

void ProgramPool::begin(Slot slot, const engine::RunOrder& order) {
    const auto program = program_of(order);
    if (!program) return processes_->begin(slot, order);
    loans_[slot] = {.program = *program, .order = order};
    place(slot);
}

void ProgramPool::ask_to_stop(Slot slot, engine::StopCause cause, Duration grace) {
    const auto found = loans_.find(slot);
    if (found == loans_.end()) return processes_->ask_to_stop(slot, cause, grace);
    const store::Lease lease = found->second.order.lease.lease;
    if (found->second.host != 0) return processes_->send_control(found->second.host, Stop{lease, cause, grace});
    std::erase(waiting_, slot);
    loans_.erase(found);
    loop_.post([this, slot, lease, life = std::weak_ptr(life_)] {  // none of its code has run
        if (life.lock()) ports_.sink(engine::RunEnded{.runner = slot, .lease = lease, .saw_stop = true});
    });
}

void ProgramPool::kill(Slot slot) {
    const auto found = loans_.find(slot);
    if (found == loans_.end() || found->second.host == 0) return processes_->kill(slot);
    copies_.at(found->second.host).guilty.insert(slot);
    processes_->kill(found->second.host);
}

void ProgramPool::set_fence(Duration deadline) {
    processes_->set_fence(deadline);
}

void ProgramPool::logs_stored(Slot slot, std::size_t bytes) {
    const auto found = loans_.find(slot);
    if (found == loans_.end()) return processes_->logs_stored(slot, bytes);
    if (found->second.host != 0)
        processes_->send_control(found->second.host, Credit{bytes, found->second.order.lease.lease});
}

// ---- Runs and copies ---------------------------------------------------------------------------------------------

void ProgramPool::place(Slot slot) {
    const Loan& loan = loans_.at(slot);
    if (const Host host = host_for(loan)) return hand_over(slot, host);
    waiting_.push_back(slot);
    grow(loan.program);
}

/// The copy with the fewest runs that may take this one, the newest of them; 0: none.
ProgramPool::Host ProgramPool::host_for(const Loan& loan) {
    Host best = 0;
    for (const auto& [host, copy] : copies_)
        if (fits(copy, loan) && (best == 0 || copy.runs.size() <= copies_.at(best).runs.size())) best = host;
    return best;
}

/// Suspects run only among suspects: no other run should suffer for them.
bool ProgramPool::fits(const Copy& copy, const Loan& loan) const {
    if (copy.program != loan.program || !copy.is_ready || copy.is_leaving || !copy.guilty.empty()) return false;
    auto most = static_cast<std::size_t>(copy.concurrency);
    const auto own = suspects_.largest_company(loan.order.lease.task);
    if (own) most = std::min(most, *own);
    for (const auto& [lease, slot] : copy.runs) {
        const auto other = suspects_.largest_company(loans_.at(slot).order.lease.task);
        if (own.has_value() != other.has_value()) return false;
        if (other) most = std::min(most, *other);
    }
    return copy.runs.size() < most;
}

void ProgramPool::hand_over(Slot slot, Host host) {
    Loan& loan = loans_.at(slot);
    Copy& copy = copies_.at(host);
    loan.host = host;
    copy.runs[loan.order.lease.lease] = slot;
    if (loan.order.fenced) processes_->guard(host, true);
    processes_->send_task(host, Run{loan.order, processes_->fence()});
}

void ProgramPool::place_waiting() {
    for (const Slot slot : std::exchange(waiting_, {})) place(slot);
}

/// Starts a copy unless so many boot already as runs wait for. At most, each slot has one: that many are needed when
/// all runs are suspects, which must run alone. Another one takes the place of a copy that leaves.
void ProgramPool::grow(std::size_t index) {
    Program& program = programs_[index];
    std::size_t all = 0, booting = 0, waiting = 0;
    auto room = static_cast<std::size_t>(program.hello.concurrency);
    for (const Slot slot : waiting_) {
        const Loan& loan = loans_.at(slot);
        if (loan.program != index) continue;
        ++waiting;
        room = std::min(room, suspects_.largest_company(loan.order.lease.task).value_or(room));
    }
    for (const auto& [host, copy] : copies_) {
        if (copy.program != index) continue;
        ++all;
        if (!copy.is_ready) booting += room;
    }
    if (booting >= waiting || all > slots_) return;
    const Duration now = platform::machine_time();
    if (now < program.start_at) {
        if (all == 0) start_failed(index, "its last start has failed");
        return;
    }
    start_copy(index);
}

void ProgramPool::start_copy(std::size_t program) {
    const Host host = last_host_++;
    copies_[host] = {.program = program, .spawned_at = platform::machine_time()};
    processes_->spawn_host(host, programs_[program].command);
    look_later(boot_patience);
}

/// A start that hangs.
void ProgramPool::check_boots() {
    std::uint64_t ignored = 0;
    [[maybe_unused]] const auto got = ::read(timer_.get(), &ignored, sizeof ignored);
    const Duration now = platform::machine_time();
    Duration next = Duration::max();
    for (auto& [host, copy] : copies_) {
        if (copy.is_ready || !copy.last_words.empty()) continue;
        const Duration left = copy.spawned_at + boot_patience - now;
        if (left > Duration::zero()) {
            next = std::min(next, left);
            continue;
        }
        copy.last_words = concat("sent no hello within ", format_duration(boot_patience), ": killed");
        processes_->kill(host);
    }
    if (next != Duration::max()) look_later(next);
}

void ProgramPool::look_later(Duration wait) {
    itimerspec when{};
    timerfd_gettime(timer_.get(), &when);
    if (when.it_value.tv_sec != 0 || when.it_value.tv_nsec != 0) return;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(wait);
    when.it_value = {seconds.count() + 1, 0};
    timerfd_settime(timer_.get(), 0, &when, nullptr);
}

// ---- What the slots' own processes say ---------------------------------------------------------------------------

void ProgramPool::slot_event(engine::RunnerEvent event) {
    const Slot slot = std::visit([](const auto& each) { return each.runner; }, event);
    if (lost_.contains(slot)) {
        if (std::holds_alternative<engine::RunnerGone>(event)) lost_.erase(slot);
        return;
    }
    const auto found = loans_.find(slot);
    if (found == loans_.end()) return ports_.sink(std::move(event));
    auto* gone = std::get_if<engine::RunnerGone>(&event);
    if (gone == nullptr) return;  // an idle process has nothing to say about the run that is elsewhere
    if (found->second.host != 0) {
        found->second.slot_gone = std::move(*gone);  // the run goes on
        return;
    }
    std::erase(waiting_, slot);
    loans_.erase(found);
    gone->fate = engine::RunFate::Unbegun;
    ports_.sink(std::move(event));
}

// ---- What the hosts of the copies say ----------------------------------------------------------------------------

void ProgramPool::hear(Host host, Message message) {
    const auto found = copies_.find(host);
    if (found == copies_.end()) return;
    Copy& copy = found->second;
    const auto slot_of = [&](store::Lease lease) -> std::optional<Slot> {
        const auto run = copy.runs.find(lease);
        return run == copy.runs.end() ? std::nullopt : std::optional(run->second);
    };
    if (auto* ended = std::get_if<engine::RunEnded>(&message)) return on(copy, std::move(*ended));
    if (const auto* ready = std::get_if<ProgramReady>(&message)) return on(host, copy, *ready);
    if (auto* died = std::get_if<ProgramDied>(&message)) copy.last_words = std::move(died->how);
    if (auto* progress = std::get_if<engine::RunProgress>(&message))
        if (const auto slot = slot_of(progress->lease)) {
            progress->runner = *slot;
            ports_.sink(std::move(*progress));
        }
    if (auto* log = std::get_if<engine::RunLog>(&message)) {
        const auto slot = slot_of(log->lease);
        if (!slot) return;
        log->runner = *slot;
        ports_.sink(std::move(*log));
    }
    if (std::holds_alternative<engine::RunnerBeat>(message))
        for (const auto& [lease, slot] : copy.runs) ports_.sink(engine::RunnerBeat{slot});
    if (const auto* said = std::get_if<ProgramSaid>(&message))
        ports_.say({LogLevel::Info, said->text, {{"runner", programs_[copy.program].command}}});
    if (const auto* leaves = std::get_if<ProgramLeaves>(&message)) {
        copy.is_leaving = true;
        processes_->send_task(host, Retire{});
        ports_.say({LogLevel::Info,
                    concat("A copy of the runner program '", programs_[copy.program].command,
                           "' is replaced: ", leaves->why),
                    {}});
        if (platform::machine_time() >= programs_[copy.program].start_at) start_copy(copy.program);
    }
}

void ProgramPool::on(Host host, Copy& copy, const ProgramReady& ready) {
    Program& program = programs_[copy.program];
    copy.is_ready = true;
    copy.concurrency = ready.hello.concurrency;
    program.failures = 0;
    if (host > program.said_by && ready.hello != program.hello) {
        ports_.say({LogLevel::Info,
                    concat("The runner program '", program.command, "' has new code (", ready.hello.code, ")"),
                    {}});
        for (auto& [other, each] : copies_)
            if (other < host && each.program == copy.program) each.is_outdated = true;
        program.hello = ready.hello;
        announce_tasks();
    } else if (ready.hello != program.hello) {
        copy.is_outdated = true;  // it was started before the code changed
    }
    program.said_by = std::max(program.said_by, host);
    renew(copy.program);
    place_waiting();
}

/// Replaces copies with old code one by one: the next leaves when the one that replaces the last is ready.
void ProgramPool::renew(std::size_t program) {
    Host next = 0;
    for (const auto& [host, copy] : copies_) {
        if (copy.program != program) continue;
        if (!copy.is_ready) return;
        if (copy.is_outdated && !copy.is_leaving && next == 0) next = host;
    }
    if (next == 0) return;
    copies_.at(next).is_leaving = true;
    processes_->send_task(next, Retire{});
    start_copy(program);
}

void ProgramPool::announce_tasks() {
    std::vector<std::string> names;
    for (std::size_t index = 0; index < programs_.size(); ++index)
        for (const std::string& name : names_of(programs_[index].hello)) {
            const auto [place, is_new] = program_by_task_.try_emplace(name, index);
            if (place->second == index) {
                names.push_back(name);
            } else {
                ports_.say(
                    {LogLevel::Warning,
                     concat("The runner programs '", programs_[place->second].command, "' and '",
                            programs_[index].command, "' both have the task '", name, "': the first one runs it"),
                     {}});
            }
        }
    ports_.tasks_changed(names);
}

void ProgramPool::on(Copy& copy, engine::RunEnded ended) {
    const auto run = copy.runs.find(ended.lease);
    if (run == copy.runs.end()) return;
    const Slot slot = run->second;
    copy.runs.erase(run);
    auto loan = loans_.extract(slot);
    suspects_.clear(loan.mapped().order.lease.task);
    ended.runner = slot;
    ended.leaves = loan.mapped().slot_gone.has_value();
    ports_.sink(std::move(ended));
    if (copy.guilty.contains(slot)) processes_->kill(slot);  // the worker waits for the end of what it has killed
    if (loan.mapped().slot_gone) ports_.sink(*loan.mapped().slot_gone);
    if (loan.mapped().order.fenced) guard(loan.mapped().host, copy);
    if (!waiting_.empty()) place_waiting();
}

void ProgramPool::guard(Host host, const Copy& copy) {
    processes_->guard(host, std::ranges::any_of(
                                copy.runs, [this](const auto& each) { return loans_.at(each.second).order.fenced; }));
}

/// Nothing of the copy is left.
void ProgramPool::host_gone(const engine::RunnerGone& gone) {
    auto found = copies_.extract(gone.runner);
    if (!found) return;
    const Copy& copy = found.mapped();
    engine::RunnerGone end = gone;
    if (!copy.last_words.empty() && !gone.fenced) end.how = copy.last_words;
    if (copy.guilty.empty() && !gone.fenced && copy.runs.size() > 1)
        for (const auto& [lease, slot] : copy.runs) suspects_.add(loans_.at(slot).order.lease.task, copy.runs.size());
    for (const auto& [lease, slot] : copy.runs) end_loan(slot, copy, end);
    const bool has_left = copy.is_leaving && copy.runs.empty();
    if (!copy.is_ready)
        start_failed(copy.program, end.how);
    else if (!has_left && copy.runs.empty())
        ports_.say(
            {LogLevel::Warning,
             concat("A copy of the runner program '", programs_[copy.program].command, "' has ended: ", end.how),
             {}});
    renew(copy.program);
    place_waiting();
}

/// The slot goes with the copy: the worker makes a new one.
void ProgramPool::end_loan(Slot slot, const Copy& copy, const engine::RunnerGone& gone) {
    engine::RunnerGone end = gone;
    const bool is_guilty = copy.guilty.contains(slot) || (copy.guilty.empty() && copy.runs.size() == 1);
    end.fate = is_guilty ? engine::RunFate::Crashed : engine::RunFate::Bystander;
    loans_.at(slot).host = 0;
    lose_slot(slot, std::move(end));
}

void ProgramPool::lose_slot(Slot slot, engine::RunnerGone gone) {
    const auto loan = loans_.extract(slot);
    if (!loan.mapped().slot_gone) {
        lost_.insert(slot);
        processes_->kill(slot);
    }
    gone.runner = slot;
    ports_.sink(std::move(gone));
}

/// The runs that wait for the program go back to the store, unless another copy can still take them.
void ProgramPool::start_failed(std::size_t index, const std::string& how) {
    Program& program = programs_[index];
    const Duration now = platform::machine_time();
    if (now >= program.start_at) {
        program.start_at = now + pause_after(++program.failures);
        ports_.say({LogLevel::Error,
                    concat("The runner program '", program.command, "' cannot be started: ", how,
                           "; its next start is in ", format_duration(program.start_at - now), " at the earliest"),
                    {}});
    }
    const bool has_others = std::ranges::any_of(
        copies_, [&](const auto& each) { return each.second.program == index && !each.second.is_leaving; });
    if (has_others) return;
    for (const Slot slot : std::exchange(waiting_, {})) {
        if (loans_.at(slot).program != index) {
            waiting_.push_back(slot);
            continue;
        }
        loop_.post([this, slot, how, life = std::weak_ptr(life_)] {
            if (life.lock() && loans_.contains(slot))
                lose_slot(slot,
                          {.how = "its runner program cannot be started: " + how, .fate = engine::RunFate::Unbegun});
        });
    }
}

}  // namespace holdfast::runner
