#include "client/connect.h"

#include <filesystem>

#include "base/assert.h"
#include "base/store_url.h"
#include "base/text.h"
#include "platform/real_clock.h"
#include "store/sqlite/sqlite_store.h"
#ifdef HOLDFAST_WITH_POSTGRES
#include "store/postgres/postgres_store.h"
#endif

namespace holdfast::client {

namespace {

constexpr std::string_view sqlite_scheme = "sqlite:";

std::string complaint_about(std::string_view url, const StoreUrlFault& fault) {
    const std::string advice = fault.suggestion.empty() ? concat("write ", store_url_forms) : fault.suggestion;
    return concat("the store URL '", mask_password(url), "' cannot be used: ", fault.title, "; ", advice);
}

std::unique_ptr<store::Store> open_sqlite(const std::string& path, const ConnectParams& params) {
    std::error_code ignored;
    if (!params.create && !std::filesystem::exists(path, ignored))
        throw Unavailable(concat("there is no database at ", path, ": 'holdfast migrate' creates one"));
    return sqlite::open_store({.path = path, .limits = params.limits, .migrate = params.migrate},
                              platform::real_clock());
}

#ifdef HOLDFAST_WITH_POSTGRES
std::unique_ptr<store::Store> open_postgres(const std::string& url, const ConnectParams& params) {
    return postgres::open_store({.url = url,
                                 .limits = params.limits,
                                 .migrate = params.migrate,
                                 .session_liveness = params.session_liveness,
                                 .clock = nullptr});
}

std::vector<store::Finding> check_postgres(const std::string& url, const std::vector<store::Role>& roles) {
    return postgres::check_privileges(url, roles);
}

RolesAnswer make_postgres_roles(const std::string& url) {
    return {.refusal = postgres::make_roles(url), .sql = postgres::roles_sql()};
}
#else
[[noreturn]] void refuse_postgres() {
    throw BadInput("this build has no PostgreSQL store; build with HOLDFAST_WITH_POSTGRES=ON, or use sqlite:PATH");
}

std::unique_ptr<store::Store> open_postgres(const std::string&, const ConnectParams&) {
    refuse_postgres();
}

std::vector<store::Finding> check_postgres(const std::string&, const std::vector<store::Role>&) {
    refuse_postgres();
}

RolesAnswer make_postgres_roles(const std::string&) {
    refuse_postgres();
}
#endif

}  // namespace

StoreAddress parse_store_url(std::string_view url) {
    if (const auto fault = store_url_fault(url)) throw BadInput(complaint_about(url, *fault));
    if (url.starts_with(sqlite_scheme))
        return {StoreAddress::Kind::Sqlite, std::string(url.substr(sqlite_scheme.size()))};
    return {StoreAddress::Kind::Postgres, std::string(url)};
}

std::unique_ptr<store::Store> connect(const ConnectParams& params) {
    const StoreAddress address = parse_store_url(params.url);
    const bool is_sqlite = address.kind == StoreAddress::Kind::Sqlite;
    auto store = is_sqlite ? open_sqlite(address.place, params) : open_postgres(address.place, params);
    return params.submits ? remembering(std::move(store), params.submits) : std::move(store);
}

std::vector<store::Finding> check_privileges(const std::string& url, const std::vector<store::Role>& roles) {
    const StoreAddress address = parse_store_url(url);
    if (address.kind == StoreAddress::Kind::Sqlite) return {};
    return check_postgres(address.place, roles);
}

RolesAnswer make_roles(const std::string& url) {
    const StoreAddress address = parse_store_url(url);
    HOLDFAST_ASSERT(address.kind == StoreAddress::Kind::Postgres);
    return make_postgres_roles(address.place);
}

}  // namespace holdfast::client
