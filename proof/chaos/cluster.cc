#include "proof/chaos/cluster.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <random>
#include <stdexcept>

#include "base/text.h"
#include "platform/process_table.h"
#include "proof/chaos/gate.h"
#include "proof/chaos/postgres_programs.h"

namespace holdfast::chaos {

namespace {

constexpr std::size_t node_count = 3;
constexpr int lowest_port = 10'000, port_range = 20'000;

/// How much a standby has on disk, in bytes.
std::int64_t received_by(const Node& standby) {
    const std::string answer = standby.ask(
        "SELECT (greatest(coalesce(pg_last_wal_receive_lsn(), '0/0'), pg_last_wal_replay_lsn()) - '0/0')::bigint");
    std::int64_t bytes = -1;
    std::from_chars(answer.data(), answer.data() + answer.size(), bytes);
    return bytes;
}

}  // namespace

std::vector<int> free_cluster_ports() {
    std::random_device random;
    std::vector<int> ports;
    while (ports.size() < node_count) {
        const int port = lowest_port + static_cast<int>(random() % port_range);
        if (std::ranges::count(ports, port) == 0 && is_free_port(port)) ports.push_back(port);
    }
    return ports;
}

Cluster::Cluster(ClusterParams params) : params_(std::move(params)) {
    if (params_.ports.empty()) params_.ports = free_cluster_ports();
    if (params_.ports.size() != node_count) throw std::runtime_error("a cluster has three nodes: name three ports");
    give_to_postgres_owner(params_.folder);
    for (std::size_t i = 0; i < node_count; ++i) {
        const std::string name = concat("node-", i + 1);
        const std::string folder = concat(params_.folder, '/', name);
        std::filesystem::create_directory(folder);
        give_to_postgres_owner(folder);
        nodes_.push_back(std::make_unique<Node>(NodeParams{.name = name,
                                                           .folder = folder,
                                                           .log = concat(params_.logs, '/', name, ".log"),
                                                           .port = params_.ports[i]}));
    }
    primary().initialise();
    primary().configure({});
    primary().start(NodeRole::Primary);
    for (Node* standby : standbys()) rejoin(*standby, false);
    make_synchronous(true);
    wait_until_whole();
}

std::string Cluster::url() const {
    std::vector<std::string> hosts;
    for (const auto& node : nodes_) hosts.push_back(concat("127.0.0.1:", node->port()));
    return concat("postgresql://postgres@", join(hosts, ","),
                  "/postgres?target_session_attrs=read-write&sslmode=disable&gssencmode=disable");
}

std::vector<Node*> Cluster::standbys() {
    std::vector<Node*> found;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
        if (i != primary_) found.push_back(nodes_[i].get());
    return found;
}

std::vector<std::string> Cluster::names_beside(const Node& node) const {
    std::vector<std::string> names;
    for (const auto& each : nodes_)
        if (each.get() != &node) names.push_back(each->name());
    return names;
}

NodeSettings Cluster::settings_for(const Node& node) const {
    return {.upstream_port = &node == nodes_[primary_].get() ? 0 : nodes_[primary_]->port(),
            .synchronous_standbys = is_synchronous_ ? names_beside(node) : std::vector<std::string>()};
}

void Cluster::make_synchronous(bool is_synchronous) {
    is_synchronous_ = is_synchronous;
    primary().configure(settings_for(primary()));
    primary().wait_for_answer("SELECT current_setting('synchronous_standby_names') <> ''",
                              is_synchronous ? "t" : "f");
}

void Cluster::detach_standbys() {
    for (Node* standby : standbys()) {
        NodeSettings detached = standby->settings();  // as a primary it would wait for others, as before
        detached.upstream_port = 0;
        if (standby->is_running()) standby->configure(detached);
    }
    for (Node* standby : standbys())
        if (standby->is_running()) standby->wait_for_answer("SELECT count(*) FROM pg_stat_wal_receiver", "0");
}

void Cluster::attach(Node& standby) const {
    standby.configure(settings_for(standby));
}

Node& Cluster::promote() {
    detach_standbys();
    std::size_t best = primary_;
    std::int64_t most = -1;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (i == primary_ || !nodes_[i]->is_running()) continue;
        const std::int64_t received = received_by(*nodes_[i]);
        if (received > most) best = i;
        most = std::max(most, received);
    }
    if (best == primary_) throw std::runtime_error("there is no standby to promote");
    const std::size_t old = std::exchange(primary_, best);
    primary().configure(settings_for(primary()));
    if (primary().ask("SELECT pg_promote(true, 60)") != "t")
        throw std::runtime_error(concat(primary().name(), " was not promoted"));
    for (std::size_t i = 0; i < nodes_.size(); ++i)
        if (i != old && i != primary_ && nodes_[i]->is_running()) attach(*nodes_[i]);
    return primary();
}

void Cluster::rejoin(Node& node, bool by_rewind) {
    if (!by_rewind || !node.rewind_to(primary())) node.copy(primary());
    attach(node);
    node.start(NodeRole::Standby);
}

void Cluster::restore(const std::string& backup) {
    for (const auto& node : nodes_) node->kill();
    primary().replace_data(backup);
    is_synchronous_ = false;  // there is no standby yet
    primary().configure(settings_for(primary()));
    primary().start(NodeRole::Primary);
}

void Cluster::wait_until_whole() {
    primary().wait_for_answer(
        "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND application_name LIKE 'node-%'", "2");
}

}  // namespace holdfast::chaos
