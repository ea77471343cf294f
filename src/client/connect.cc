#include "client/connect.h"

#include <filesystem>

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
#else
std::unique_ptr<store::Store> open_postgres(const std::string&, const ConnectParams&) {
    throw BadInput("this build has no PostgreSQL store; build with HOLDFAST_WITH_POSTGRES=ON, or use sqlite:PATH");
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
    return is_sqlite ? open_sqlite(address.place, params) : open_postgres(address.place, params);
}

}  // namespace holdfast::client
