#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "holdfast/uuid.h"

namespace holdfast {
struct LostSubmits;
}

namespace holdfast::sim {

class Process;
class World;
class Witness;

/// Checks that clients hear of accepted tasks and jobs that the store has lost because it went back.
class SubmitCheck {
public:
    SubmitCheck(World& world, Witness& witness) : world_(world), witness_(witness) {}

    /// The store has lost a task or a job that this life of a client was told of. `shows`: by more than what workers
    /// remember, so that the client has to hear of it as long as it lives.
    void lost(const Uuid& id, const std::string& name, const std::string& client, bool shows);
    /// It is in the store again: it was submitted again.
    void found(const Uuid& id) { untold_.erase(id); }
    void told(Process& client, const LostSubmits& lost);
    void died(const Process& client);
    /// "": every client that lives has been told.
    [[nodiscard]] std::string untold() const;

private:
    struct Untold {
        std::string name;
        std::string client;
    };

    World& world_;
    Witness& witness_;
    std::map<Uuid, Untold> untold_;
    std::set<Uuid> ever_lost_;
    std::set<std::string> dead_;
};

}  // namespace holdfast::sim
