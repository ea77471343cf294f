#pragma once

#include <cstddef>

// Tells AddressSanitizer on which stack the program runs: an exception clears its marks only there, and marks left on
// another stack look like errors. Does nothing in other builds.
#if defined(__SANITIZE_ADDRESS__)
#define HOLDFAST_TELLS_STACKS
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HOLDFAST_TELLS_STACKS
#endif
#endif

#ifdef HOLDFAST_TELLS_STACKS
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace holdfast::sim {

/// The bounds of a stack, for the sanitizer.
struct StackNote {
    const void* bottom = nullptr;
    std::size_t bytes = 0;
    void* own = nullptr;  ///< kept by the sanitizer while another stack is in use
};

#ifdef HOLDFAST_TELLS_STACKS

/// Call just before a switch. `from` is nullptr for the last switch from that stack.
inline void leave_stack(StackNote* from, const StackNote& to) {
    __sanitizer_start_switch_fiber(from == nullptr ? nullptr : &from->own, to.bottom, to.bytes);
}
/// Call just after a switch, with the stack that it came from.
inline void arrive_on_stack(const StackNote& here, StackNote& from) {
    __sanitizer_finish_switch_fiber(here.own, &from.bottom, &from.bytes);
}
/// Forgets all marks on this stack.
inline void forget_marks(const void* memory, std::size_t bytes) {
    __asan_unpoison_memory_region(memory, bytes);
}

#else

inline void leave_stack(StackNote*, const StackNote&) {}
inline void arrive_on_stack(const StackNote&, StackNote&) {}
inline void forget_marks(const void*, std::size_t) {}

#endif

}  // namespace holdfast::sim
