#pragma once

#include <string>

namespace holdfast::bench {

// Two modes by which a program that compares queues drives this one. The store is HOLDFAST_BENCH_STORE, or the
// PostgreSQL database `own` that the PG* variables lead to.

/// Answers each command line on stdin with one line, a number:
///   reset | bulk N | enqueue CLIENTS SECONDS (-> tasks/s) | stamped | remaining
int produce();

/// Prints "r" when loaded, waits for a line, then works until killed, or until so many tasks are done. Tasks print a
/// line as they start: "j" a no-op, "l MS" a stamped one, MS after its submit. `options` is JSON: {"batch": 500,
/// "connections": 1, "until": 1000} for the bare verbs, {"worker": 100} for a whole worker with so many threads.
int work(const std::string& options);

}  // namespace holdfast::bench
