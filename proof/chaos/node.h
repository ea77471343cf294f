#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/time.h"
#include "proof/crew/process.h"

namespace holdfast::chaos {

struct NodeParams {
    std::string name = {};    ///< also the one by which a primary knows its standbys
    std::string folder = {};  ///< of its data, which exists and belongs to the user postgres
    std::string log = {};
    int port = 0;
};

/// The settings of a node that change during a run.
struct NodeSettings {
    int upstream_port = 0;                               ///< the node that a standby receives from; 0: none
    std::vector<std::string> synchronous_standbys = {};  ///< a commit waits for any one of them; empty: for none

    friend bool operator==(const NodeSettings&, const NodeSettings&) = default;
};

enum class NodeRole { Primary, Standby };

/// One PostgreSQL server of a cluster, on a loopback port. For one thread, which must live as long as the node: the
/// server ends with it. Children of this process may be reaped by any thread. Every function throws
/// std::runtime_error.
class Node {
public:
    explicit Node(NodeParams params);
    ~Node();
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    [[nodiscard]] const std::string& name() const { return params_.name; }
    [[nodiscard]] int port() const { return params_.port; }
    [[nodiscard]] std::string data() const { return params_.folder + "/data"; }
    [[nodiscard]] std::string url() const;  ///< of this node alone

    // ---- Its data; only while it is not running ----
    /// Makes a new database cluster.
    void initialise() const;
    /// Makes its data a copy of a running node's.
    void copy(const Node& source) const;
    /// Makes its data, which may have diverged, those of the running primary. False: this is not possible.
    [[nodiscard]] bool rewind_to(const Node& primary) const;
    /// Replaces its data by a backup, which is gone then.
    void replace_data(const std::string& backup) const;

    /// Copies the data of this running node into a new folder, as a backup.
    void back_up(const std::string& folder) const;

    // ---- The server ----
    /// Writes the settings. A running server uses them soon.
    void configure(const NodeSettings& settings);
    [[nodiscard]] const NodeSettings& settings() const { return settings_; }
    /// Starts it and returns when it accepts connections.
    void start(NodeRole role);
    [[nodiscard]] bool is_running() const;
    /// Shuts it down: SIGINT: fast, as an operator does; SIGQUIT: at once. Returns when it has ended.
    void stop(int signal);
    /// Kills all of its processes at once, as a power cut does. Returns when they have ended.
    void kill();
    /// Stops all of its processes with SIGSTOP: connections stay and nothing is answered.
    void freeze() const;
    void thaw() const;

    /// The answer to a question in SQL, without the newline at its end.
    [[nodiscard]] std::string ask(const std::string& sql) const;
    /// Asks until the answer is this.
    void wait_for_answer(const std::string& sql, const std::string& answer) const;
    /// Writes its database as SQL, as evidence of what went wrong.
    void dump(const std::string& path) const;

private:
    [[nodiscard]] std::string config() const { return params_.folder + "/postgresql.conf"; }
    void launch();
    [[nodiscard]] std::vector<pid_t> processes() const;
    void send_to_all(int signal) const;

    NodeParams params_;
    std::string programs_;
    NodeSettings settings_;
    std::optional<crew::Process> server_;
};

}  // namespace holdfast::chaos
