#include "store_contract/test_database.h"

#include "base/assert.h"
#include "store/sqlite/sqlite_store.h"
#ifdef HOLDFAST_WITH_POSTGRES
#include "store/postgres/postgres_store.h"
#endif

namespace holdfast::contract {

std::string to_text(StoreKind kind) {
    return kind == StoreKind::Sqlite ? "sqlite" : "postgres";
}

std::vector<StoreKind> store_kinds() {
#ifdef HOLDFAST_WITH_POSTGRES
    return {StoreKind::Sqlite, StoreKind::Postgres};
#else
    return {StoreKind::Sqlite};
#endif
}

std::unique_ptr<TestDatabase> make_database(StoreKind kind, [[maybe_unused]] bool empty) {
#ifdef HOLDFAST_WITH_POSTGRES
    if (kind == StoreKind::Postgres) return make_postgres_database(empty);
#endif
    HOLDFAST_ASSERT(kind == StoreKind::Sqlite);
    return make_sqlite_database();
}

std::unique_ptr<RawSql> make_raw(StoreKind kind, const std::string& address) {
#ifdef HOLDFAST_WITH_POSTGRES
    if (kind == StoreKind::Postgres) return make_postgres_raw(address);
#endif
    HOLDFAST_ASSERT(kind == StoreKind::Sqlite);
    return make_sqlite_raw(address);
}

std::unique_ptr<RawSql> TestDatabase::raw() const {
    return make_raw(kind(), address());
}

std::unique_ptr<store::Store> open_store(const OpenParams& params, const Clock& clock) {
#ifdef HOLDFAST_WITH_POSTGRES
    if (params.kind == StoreKind::Postgres) {
        return postgres::open_store({.url = params.address,
                                     .limits = params.limits,
                                     .migrate = params.migrate,
                                     .session_liveness = params.session_liveness,
                                     .safety_poll = params.safety_poll,
                                     .clock = &clock});
    }
#endif
    HOLDFAST_ASSERT(params.kind == StoreKind::Sqlite);
    return sqlite::open_store({.path = params.address,
                               .limits = params.limits,
                               .migrate = params.migrate,
                               .safety_poll = params.safety_poll},
                              clock);
}

}  // namespace holdfast::contract
