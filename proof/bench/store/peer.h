#pragma once

#include <string>

namespace holdfast::bench {

// Two modes for programs that compare queues. The store is HOLDFAST_BENCH_STORE, or the PostgreSQL database `own` of
// the server that the PG* variables name.

/// Answers each command line on stdin with one line, a number:
///   reset | bulk N | enqueue CLIENTS SECONDS (-> tasks/s) | stamped | remaining
int produce();

/// Prints "r" when loaded, waits for a line, then works until it is killed or `until` tasks are done. Tasks print a
/// line as they start: "j" for a no-op, "l MS" for a stamped task, MS after its submit. `options` is JSON: {"batch":
/// 500, "connections": 1, "until": 1000} for the bare verbs, {"worker": 100} for a whole worker with so many threads.
int work(const std::string& options);

}  // namespace holdfast::bench
