#pragma once

namespace holdfast::runner {

/// The keeper's whole life: parent of a worker's runners, single-threaded, child subreaper. Starts and kills runners
/// as the worker says on `keeper_socket`, and those that fail to end a fenced run in time, stopped ones too. A runner
/// that died is reported when nothing that it had started is left. When the worker is gone it kills every descendant,
/// whatever its group or session, and returns the exit code.
int run_keeper(int argc, char** argv);

}  // namespace holdfast::runner
