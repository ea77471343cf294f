#include "proof/sim/fiber.h"

#include <cxxabi.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "base/assert.h"

namespace holdfast::sim {

namespace {

constexpr std::size_t stack_bytes = 256 << 10;

/// Stacks are reused: a run makes a fiber for every call.
std::vector<std::unique_ptr<char[]>>& spare_stacks() {
    static std::vector<std::unique_ptr<char[]>> spare;
    return spare;
}

}  // namespace

struct Fiber::Stack {
    Stack() {
        auto& spare = spare_stacks();
        if (spare.empty()) {
            memory = std::make_unique<char[]>(stack_bytes);
        } else {
            memory = std::move(spare.back());
            spare.pop_back();
            forget_marks(memory.get(), stack_bytes);
        }
    }
    ~Stack() { spare_stacks().push_back(std::move(memory)); }
    Stack(const Stack&) = delete;
    Stack& operator=(const Stack&) = delete;

    std::unique_ptr<char[]> memory;
};

Fiber* Fiber::running_fiber = nullptr;

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)), stack_(std::make_unique<Stack>()) {
    getcontext(&context_);
    context_.uc_stack.ss_sp = stack_->memory.get();
    context_.uc_stack.ss_size = stack_bytes;
    context_.uc_link = nullptr;
    own_stack_ = {stack_->memory.get(), stack_bytes};
    makecontext(&context_, &Fiber::enter, 0);
}

Fiber::~Fiber() {
    if (ended_) return;
    cancelled_ = true;
    resume();
    HOLDFAST_ASSERT(ended_);
}

void Fiber::enter() {
    running_fiber->run();
}

void Fiber::run() {
    arrive_on_stack(own_stack_, stack_of_resumer_);
    try {
        if (!cancelled_) body_();
    } catch (const FiberCancelled&) {
        // It was cancelled: its work is over.
    }
    ended_ = true;
    pause();
}

void Fiber::resume() {
    HOLDFAST_ASSERT(!ended_ && running_fiber != this);
    resumed_from_ = running_fiber;
    running_fiber = this;
    auto* globals = reinterpret_cast<ExceptionState*>(abi::__cxa_get_globals());
    const ExceptionState of_resumer = *globals;
    *globals = exceptions_;
    StackNote here, from;
    leave_stack(&here, own_stack_);
    swapcontext(&resumer_, &context_);
    arrive_on_stack(here, from);
    exceptions_ = *globals;
    *globals = of_resumer;
}

void Fiber::pause() {
    Fiber* self = running_fiber;
    HOLDFAST_ASSERT(self != nullptr);
    running_fiber = self->resumed_from_;
    leave_stack(self->ended_ ? nullptr : &self->own_stack_, self->stack_of_resumer_);
    swapcontext(&self->context_, &self->resumer_);
    arrive_on_stack(self->own_stack_, self->stack_of_resumer_);
    if (self->cancelled_) throw FiberCancelled();
}

}  // namespace holdfast::sim
