#include "views/queue.h"

namespace holdfast::views {

namespace {

bool is_shared(const store::KeyRecord& record) {
    return record.key.is_shared();
}

}  // namespace

Table<store::QueueRecord> table(Of<store::QueueRecord>) {
    using Queue = store::QueueRecord;
    static constexpr Member<Queue> members[] = {
        member<&Queue::name>("name"),
        member<&Queue::paused>("paused"),
        member<&Queue::pending>("pending"),
        member<&Queue::in_flight>("in_flight"),
    };
    return {"Queue", members};
}

Table<store::KeyRecord> table(Of<store::KeyRecord>) {
    using Record = store::KeyRecord;
    using Key = core::KeyDeclaration;
    static constexpr Member<Record> members[] = {
        member<&Record::key, &Key::key>("key"),
        member<&Record::key, &Key::queue>("queue", or_null, "whose it is; null: shared by all"),
        derived<is_shared>("shared"),
        member<&Record::key, &Key::limit>("limit", "the one in force"),
        member<&Record::declared>("declared", "its limit is fixed; otherwise it follows the submits"),
        member<&Record::held>("held", "tasks that are CLAIMED or RUNNING"),
        member<&Record::waiting>("waiting", "tasks that have found it full"),
    };
    return {"Key", members};
}

}  // namespace holdfast::views
