#pragma once

#include <cstddef>

// AddressSanitizer has to be told on which stack the program is: an exception clears its marks on that one, and what
// is left on another looks like a mistake. In other builds nothing is told.
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

/// Where a stack is, as the sanitizer knows it.
struct StackNote {
    const void* bottom = nullptr;
    std::size_t bytes = 0;
    void* own = nullptr;  ///< what the sanitizer keeps about it while another one is in use
};

#ifdef HOLDFAST_TELLS_STACKS

/// Just before a switch. `from` is nullptr when it is the last one from there.
inline void leave_stack(StackNote* from, const StackNote& to) {
    __sanitizer_start_switch_fiber(from == nullptr ? nullptr : &from->own, to.bottom, to.bytes);
}
/// Just after a switch, with the one that it came from.
inline void arrive_on_stack(const StackNote& here, StackNote& from) {
    __sanitizer_finish_switch_fiber(here.own, &from.bottom, &from.bytes);
}
/// Nothing of what was on it counts.
inline void forget_marks(const void* memory, std::size_t bytes) {
    __asan_unpoison_memory_region(memory, bytes);
}

#else

inline void leave_stack(StackNote*, const StackNote&) {}
inline void arrive_on_stack(const StackNote&, StackNote&) {}
inline void forget_marks(const void*, std::size_t) {}

#endif

}  // namespace holdfast::sim
