#include "store/postgres/worker_rows.h"

#include "store/encoding.h"

namespace holdfast::postgres {

store::WorkerLiveness read_liveness(const Rows& rows, int row) {
    store::WorkerLiveness worker;
    worker.id = rows.uuid(row, 0);
    worker.number = rows.integer(row, 1);
    worker.name = rows.string(row, 2);
    worker.status = store::read_worker_status(rows.text(row, 3));
    worker.host = {rows.string(row, 4),
                   rows.string(row, 5),
                   static_cast<std::uint64_t>(rows.integer(row, 6)),
                   rows.small(row, 7),
                   static_cast<std::uint64_t>(rows.integer(row, 8)),
                   rows.small(row, 9),
                   static_cast<std::uint64_t>(rows.integer(row, 10))};
    worker.beat = rows.integer(row, 11);
    worker.beat_interval = Duration(rows.integer(row, 12));
    worker.fence_after = Duration(rows.integer(row, 13));
    worker.proves_session = rows.boolean(row, 14);
    return worker;
}

store::WorkerRecord read_worker(const Rows& rows, int row) {
    auto liveness = read_liveness(rows, row);
    store::WorkerRecord worker;
    worker.number = liveness.number;
    worker.status = liveness.status;
    worker.beat = liveness.beat;
    worker.proves_session = liveness.proves_session;
    worker.cordoned = rows.boolean(row, 15);
    worker.drain_requested = rows.boolean(row, 16);
    worker.registered_at = rows.time(row, 21);
    worker.last_heartbeat = rows.optional_time(row, 22);
    if (worker.last_heartbeat) worker.seconds_ago = rows.time(row, 24) - *worker.last_heartbeat;
    worker.held = store::decode_held(rows.text(row, 23));
    auto& registration = worker.registration;
    registration.id = liveness.id;
    registration.name = std::move(liveness.name);
    registration.host = std::move(liveness.host);
    registration.version = rows.string(row, 17);
    registration.queues = rows.strings(row, 18);
    registration.tags = rows.strings(row, 19);
    registration.capacity = rows.small(row, 20);
    registration.beat_interval = liveness.beat_interval;
    registration.fence_after = liveness.fence_after;
    return worker;
}

}  // namespace holdfast::postgres
