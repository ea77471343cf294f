#pragma once

#include <ucontext.h>

#include <functional>
#include <memory>

#include "proof/sim/stack_notes.h"

namespace holdfast::sim {

/// Thrown out of Fiber::pause() when the fiber is not to go on. Nothing but the fiber itself catches it.
struct FiberCancelled {};

/// A call stack of its own, so that code which calls the store as if it were alone can be stopped in the midst of it:
/// at every store call the others may go on. All fibers run in one thread, one at a time.
class Fiber {
public:
    explicit Fiber(std::function<void()> body);
    /// One that has not ended is cancelled. Must not be the running one.
    ~Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    /// Runs it until it pauses or ends.
    void resume();
    [[nodiscard]] bool has_ended() const { return ended_; }
    [[nodiscard]] bool is_running() const { return running_fiber == this; }

    /// Back to whoever resumed the running fiber.
    static void pause();
    [[nodiscard]] static Fiber* running() { return running_fiber; }

private:
    struct Stack;
    /// What the C++ runtime keeps per thread about exceptions under way: each fiber has its own.
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
