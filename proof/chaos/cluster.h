#pragma once

#include <memory>
#include <string>
#include <vector>

#include "proof/chaos/node.h"

namespace holdfast::chaos {

struct ClusterParams {
    std::string folder = {};      ///< of the data of all nodes; exists
    std::string logs = {};        ///< of the logs
    std::vector<int> ports = {};  ///< of the three nodes; empty: free ones
};

/// Three free loopback ports outside of the range from which the kernel takes ports for connections: the port of a
/// node that is down must not be taken meanwhile.
[[nodiscard]] std::vector<int> free_cluster_ports();

/// Three PostgreSQL nodes with streaming replication: a primary and two standbys, one of which each commit waits for
/// (unless made asynchronous). Plays the part of the program that manages a cluster: whatever is done to the nodes,
/// it never promotes a node while another may still confirm commits. For one thread; see Node. Every function throws
/// std::runtime_error.
class Cluster {
public:
    /// Makes and starts the nodes. Returns when both standbys receive.
    explicit Cluster(ClusterParams params);
    Cluster(const Cluster&) = delete;
    Cluster& operator=(const Cluster&) = delete;

    [[nodiscard]] std::string url() const;  ///< with all nodes as hosts
    [[nodiscard]] Node& primary() { return *nodes_[primary_]; }
    [[nodiscard]] std::vector<Node*> standbys();

    /// Whether commits wait for a standby. Returns when the primary has adopted it.
    void make_synchronous(bool is_synchronous);
    /// Makes the standbys receive nothing more. Returns when the last of their receivers has ended.
    void detach_standbys();
    /// Detaches the standbys, promotes the one that has received most, and attaches the other one to it. The old
    /// primary may be dead or frozen, and is not part of the cluster until it rejoins. Returns the new primary, which
    /// accepts writes.
    Node& promote();
    /// Makes a node that is not running a standby of the primary, whatever its data were.
    void rejoin(Node& node, bool by_rewind);
    /// Kills all nodes, and starts the backup in place of the primary, on the same timeline: all that came later is
    /// lost. The standbys are to be made anew by rejoin(); until then commits wait for none. Returns when it accepts
    /// writes.
    void restore(const std::string& backup);
    /// Waits until both standbys receive from the primary and have all that it has confirmed.
    void wait_until_whole();

    /// The place for a backup.
    [[nodiscard]] std::string backup_folder() const { return params_.folder + "/backup"; }

private:
    [[nodiscard]] NodeSettings settings_for(const Node& node) const;
    [[nodiscard]] std::vector<std::string> names_beside(const Node& node) const;
    void attach(Node& standby) const;

    ClusterParams params_;
    std::vector<std::unique_ptr<Node>> nodes_;
    std::size_t primary_ = 0;
    bool is_synchronous_ = true;
};

}  // namespace holdfast::chaos
