#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/descriptor.h"
#include "engine/ports.h"

namespace holdfast::platform {

/// What this process sees of the workers on its machine: whether their processes exist, and, on SQLite, whether
/// the locks that prove their life are held.
class LocalHostWatch : public engine::HostWatch {
public:
    struct Params {
        std::string life_locks = {};  ///< the file of the life locks; empty: the store keeps proofs of life itself
        /// Stops and removes the container of a lease through this machine's engine; `local`: no other engine can
        /// have it.
        std::function<bool(const store::TaskLease&, bool local)> stop_container = [](const auto&, bool) {
            return false;
        };
    };
    explicit LocalHostWatch(Params params);

    [[nodiscard]] engine::Sight look_at(const store::WorkerLiveness& worker) override;
    [[nodiscard]] bool clear_away(const store::WorkerLiveness& worker) override;
    [[nodiscard]] bool stop_container(const store::WorkerLiveness& worker, const store::TaskLease& lease) override;

    /// Waits until a worker of this machine that was looked at has died since (true), until wake() is called, or for
    /// `at_most`.
    bool wait(Duration at_most);
    /// From any thread.
    void wake();

private:
    void keep_eye_on(const store::WorkerLiveness& worker);

    [[nodiscard]] engine::Sight look_at_lock(const store::WorkerLiveness& worker) const;

    const Params params_;
    const store::HostIdentity own_;
    Descriptor bell_;                    // an eventfd
    std::map<Uuid, Descriptor> living_;  // for each worker of this machine its last process to die
};

/// Whether the process with this pid and start time exists; Unknown when that cannot be seen.
enum class Presence { There, Gone, Unknown };
[[nodiscard]] Presence presence_of(int pid, std::uint64_t start_time);

}  // namespace holdfast::platform
