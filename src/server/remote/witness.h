#pragma once

namespace holdfast::remote {

/// The life of a witness: it reads the sealed file, given as a descriptor, tells a server that nothing of its worker
/// is left, and returns the exit code. It tries for half a minute; afterwards silence speaks for itself.
[[nodiscard]] int run_witness(int sealed_file);

}  // namespace holdfast::remote
