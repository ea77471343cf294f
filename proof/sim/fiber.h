#pragma once

#include <ucontext.h>

#include <functional>
#include <memory>

#include "proof/sim/stack_notes.h"

namespace holdfast::sim {

/// Thrown by Fiber::pause() when the fiber is cancelled. Only the fiber itself catches it.
struct FiberCancelled {};

/// Code with its own call stack, which can be paused in the middle: at every store call, so that other processes go
/// on. All fibers run in one thread, one at a time.
class Fiber {
public:
    explicit Fiber(std::function<void()> body);
    /// Cancels a fiber that has not ended. It must not be the running one.
    ~Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    /// Runs it until it pauses or ends.
    void resume();
    [[nodiscard]] bool has_ended() const { return ended_; }
    [[nodiscard]] bool is_running() const { return running_fiber == this; }

    /// Returns to the caller of resume().
    static void pause();
    [[nodiscard]] static Fiber* running() { return running_fiber; }

private:
    struct Stack;
    /// The state of exceptions that the C++ runtime keeps for each thread: each fiber has its own.
    struct ExceptionState {
        void* caught = nullptr;
        unsigned uncaught = 0;
    };

    static void enter();
    void run();

    static Fiber* running_fiber;

    std::function<void()> body_;
    std::unique_ptr<Stack> stack_;
    ucontext_t context_{};
    ucontext_t resumer_{};
    Fiber* resumed_from_ = nullptr;
    ExceptionState exceptions_;
    StackNote own_stack_, stack_of_resumer_;
    bool ended_ = false;
    bool cancelled_ = false;
};

}  // namespace holdfast::sim
