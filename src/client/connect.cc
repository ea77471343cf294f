#include "client/connect.h"

#include <filesystem>

#include "base/text.h"
#include "platform/real_clock.h"
#include "store/sqlite/sqlite_store.h"
#ifdef HOLDFAST_WITH_POSTGRES
#include "store/postgres/postgres_store.h"
#endif

namespace holdfast::client {

namespace {

constexpr std::string_view sqlite_scheme = "sqlite:";

bool is_postgres_uri(std::string_view url) {
    return url.starts_with("postgresql://") || url.starts_with("postgres://");
}

StoreAddress sqlite_address(std::string_view path) {
    if (path.empty()) throw BadInput("the store URL 'sqlite:' names no file; write for example sqlite:holdfast.db");
    if (path == ":memory:")
        throw BadInput("a memory database is not durable; name a file, for example sqlite:holdfast.db");
    if (path.starts_with("//") && !path.starts_with("///"))
        throw BadInput(concat("the store URL 'sqlite:", path, "' names no file; write sqlite:", path.substr(2)));
    return {StoreAddress::Kind::Sqlite, std::string(path)};
}

std::string complaint_about(std::string_view url) {
    const std::string shown = mask_password(url);
    if (url.empty()) return "the store URL is empty; write sqlite:PATH or postgresql://HOST/DATABASE";
    if (url.find('=') != std::string_view::npos && url.find("://") == std::string_view::npos)
        return concat("'", shown,
                      "' is a libpq keyword string; write it as postgresql://USER@HOST:PORT/DATABASE?KEY=VALUE");
    if (url.find(':') == std::string_view::npos)
        return concat("'", shown, "' is no store URL; for an SQLite file write sqlite:", url);
    return concat("'", shown, "' is no store URL; write sqlite:PATH or postgresql://HOST/DATABASE");
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
    if (url.starts_with(sqlite_scheme)) return sqlite_address(url.substr(sqlite_scheme.size()));
    if (is_postgres_uri(url)) return {StoreAddress::Kind::Postgres, std::string(url)};
    throw BadInput(complaint_about(url));
}

std::unique_ptr<store::Store> connect(const ConnectParams& params) {
    const StoreAddress address = parse_store_url(params.url);
    switch (address.kind) {
        case StoreAddress::Kind::Sqlite:
            return open_sqlite(address.place, params);
        case StoreAddress::Kind::Postgres:
            return open_postgres(address.place, params);
    }
    throw BadInput(complaint_about(params.url));
}

}  // namespace holdfast::client
