#include "proof/sim/faulty_store.h"
#include "proof/sim/world.h"

namespace holdfast::sim {

using store::Store;

store::CreateTokenStatus FaultyStore::create_token(const store::NewToken& token) {
    return write("create_token", token.name, [&](Store& store) { return store.create_token(token); });
}

std::vector<store::TokenRecord> FaultyStore::tokens() {
    return read("tokens", [](Store& store) { return store.tokens(); });
}

std::optional<store::TokenRecord> FaultyStore::find_token(const std::string& hash) {
    return read("find_token", [&](Store& store) { return store.find_token(hash); });
}

bool FaultyStore::revoke_token(const std::string& name_or_id, const std::string& who) {
    return write("revoke_token", name_or_id, [&](Store& store) { return store.revoke_token(name_or_id, who); });
}

void FaultyStore::note_token_use(const Uuid& token, const std::string& from) {
    write("note_token_use", from, [&](Store& store) {
        store.note_token_use(token, from);
        return true;
    });
}

void FaultyStore::beat_replica(const store::Replica& replica) {
    write("beat_replica", replica.address, [&](Store& store) {
        store.beat_replica(replica);
        return true;
    });
}

std::vector<store::ReplicaRecord> FaultyStore::replicas() {
    return read("replicas", [](Store& store) { return store.replicas(); });
}

void FaultyStore::remove_replica(const Uuid& replica) {
    write("remove_replica", "", [&](Store& store) {
        store.remove_replica(replica);
        return true;
    });
}

std::size_t FaultyStore::prune_replicas(Duration older_than) {
    return write("prune_replicas", "", [&](Store& store) { return store.prune_replicas(older_than); });
}

void FaultyStore::append_event(const store::EventRecord& event) {
    write("append_event", event.kind, [&](Store& store) {
        store.append_event(event);
        return true;
    });
}

store::JobCounts FaultyStore::count_jobs() {
    return read("count_jobs", [](Store& store) { return store.count_jobs(); });
}

store::Stats FaultyStore::stats(const store::StatsParams& params) {
    return read("stats", [&](Store& store) { return store.stats(params); });
}

store::Pulse FaultyStore::pulse() {
    return read("pulse", [](Store& store) { return store.pulse(); });
}

store::EventWriters FaultyStore::event_writers() {
    return read("event_writers", [](Store& store) { return store.event_writers(); });
}

store::EndedTasks FaultyStore::ended_tasks(Timestamp since, Timestamp until) {
    return read("ended_tasks", [&](Store& store) { return store.ended_tasks(since, until); });
}

}  // namespace holdfast::sim
