#include "store/sqlite/worker_rows.h"

#include "store/encoding.h"

namespace holdfast::sqlite {

store::WorkerLiveness read_liveness(const Query& row) {
    store::WorkerLiveness worker;
    worker.id = row.uuid(0);
    worker.number = row.integer(1);
    worker.name = row.string(2);
    worker.status = store::read_worker_status(row.text(3));
    worker.host = {row.string(4),
                   row.string(5),
                   static_cast<std::uint64_t>(row.integer(6)),
                   row.small(7),
                   static_cast<std::uint64_t>(row.integer(8)),
                   row.small(9),
                   static_cast<std::uint64_t>(row.integer(10))};
    worker.beat = row.integer(11);
    worker.beat_interval = Duration(row.integer(12));
    worker.fence_after = Duration(row.integer(13));
    worker.proves_session = row.integer(14) != 0;
    return worker;
}

store::WorkerRecord read_worker(const Query& row, Timestamp now) {
    auto liveness = read_liveness(row);
    store::WorkerRecord worker;
    worker.number = liveness.number;
    worker.status = liveness.status;
    worker.beat = liveness.beat;
    worker.proves_session = liveness.proves_session;
    worker.cordoned = row.integer(15) != 0;
    worker.drain_requested = row.integer(16) != 0;
    worker.registered_at = row.time(21);
    worker.last_heartbeat = row.optional_time(22);
    if (worker.last_heartbeat) worker.seconds_ago = now - *worker.last_heartbeat;
    worker.held = store::decode_held(row.text(23));
    auto& registration = worker.registration;
    registration.id = liveness.id;
    registration.name = std::move(liveness.name);
    registration.host = std::move(liveness.host);
    registration.version = row.string(17);
    registration.queues = store::decode_strings(row.text(18));
    registration.tags = store::decode_strings(row.text(19));
    registration.capacity = row.small(20);
    registration.beat_interval = liveness.beat_interval;
    registration.fence_after = liveness.fence_after;
    return worker;
}

}  // namespace holdfast::sqlite
