#include "store/postgres/postgres_store.h"

#include "base/text.h"
#include "store/postgres/schema_version.h"
#include "store/postgres/store_impl.h"

namespace holdfast::postgres {

PostgresStore::PostgresStore(const OpenParams& params)
    : params_(params),
      work_({params.url, "holdfast", params.session_liveness, false}, params.clock),
      beats_({params.url, "holdfast beats", params.session_liveness, params.session_liveness}, params.clock),
      routes_(work_),
      bell_({params.url, "holdfast wake-ups", params.session_liveness, false}, params.session_liveness,
            params.safety_poll) {
    const int version = work_.transact(read_schema_version);
    check_not_newer(version);
    if (version == newest_schema_version()) return;
    if (!params.migrate)
        throw store::Unusable(concat(describe(), " has schema version ", version, ", this program needs ",
                                     newest_schema_version(), ": run `holdfast migrate`"));
    migrate();
}

Timestamp PostgresStore::now() {
    if (params_.clock) return params_.clock->now();
    return work_.read("SELECT holdfast.now()")[0].time(0);
}

std::string PostgresStore::describe() const {
    return mask_password(params_.url);
}

std::unique_ptr<store::Store> open_store(const OpenParams& params) {
    return std::make_unique<PostgresStore>(params);
}

}  // namespace holdfast::postgres
