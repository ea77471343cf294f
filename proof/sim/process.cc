#include "proof/sim/process.h"

#include "base/text.h"
#include "proof/sim/world.h"

namespace holdfast::sim {

Process::Process(World& world, std::string name, Machine& machine, Dice dice)
    : world_(world),
      name_(std::move(name)),
      machine_(machine),
      dice_(std::move(dice)),
      pid_(machine.add_process(world.timeline.now())),
      start_time_(machine.processes.at(pid_)) {}

Process::~Process() {
    life_->is_alive = false;
    threads_.clear();
}

Duration Process::monotonic() const {
    return machine_.monotonic(world_.timeline.now());
}

void Process::run(const std::shared_ptr<Life>& life, const std::function<void()>& event) {
    if (!life->is_alive) return;
    if (life->stops > 0) {
        life->waiting.push_back(event);
    } else {
        event();
    }
}

void Process::after(Duration wait, std::function<void()> event) {
    world_.timeline.after(wait, [life = life_, event = std::move(event)] { run(life, event); });
}

void Process::spawn(std::function<void()> body) {
    bury_threads();
    Fiber* thread = threads_.emplace_back(std::make_unique<Fiber>(std::move(body))).get();
    after(Duration::zero(), [thread] { thread->resume(); });
}

void Process::bury_threads() {
    std::erase_if(threads_, [](const auto& thread) { return thread->has_ended() && !thread->is_running(); });
}

void Process::sleep(Duration wait) {
    Fiber* thread = Fiber::running();
    after(wait, [thread] { thread->resume(); });
    Fiber::pause();
}

void Process::stop() {
    ++life_->stops;
}

void Process::go_on() {
    if (--life_->stops > 0 || !life_->is_alive) return;
    hinder(world_.timeline.now());
    for (auto& event : std::exchange(life_->waiting, {})) after(Duration::zero(), std::move(event));
}

void Process::die(const std::string& how) {
    if (!life_->is_alive) return;
    say(concat("dies: ", how));
    life_->is_alive = false;
    machine_.processes.erase(pid_);
    on_death();
    world_.bury(*this);
}

void Process::say(const std::string& what) {
    world_.trace.line(world_.timeline.now(), name_, what);
}

}  // namespace holdfast::sim
