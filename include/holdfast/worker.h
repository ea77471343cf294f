#pragma once

namespace holdfast {

/// Where a worker runs functions.
enum class Isolation {
    Process,  ///< each in a process of its own: one that crashes takes no other with it, and can be killed
    Thread,   ///< in threads of the worker: the fastest, for code that is trusted not to crash and to return
};

}  // namespace holdfast
