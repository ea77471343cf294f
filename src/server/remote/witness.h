#pragma once

namespace holdfast::remote {

/// The life of a witness: it reads the sealed file `runner::witness_file`, tells a server that nothing of its worker
/// is left, and returns the exit code. It tries for half a minute; afterwards silence speaks for itself.
[[nodiscard]] int run_witness();

}  // namespace holdfast::remote
