#include "proof/bench/store/libpq_connection.h"

#include <stdexcept>

namespace holdfast::bench {

LibpqConnection::LibpqConnection(const std::string& uri) : connection_(PQconnectdb(uri.c_str()), &PQfinish) {
    if (PQstatus(connection_.get()) != CONNECTION_OK) throw std::runtime_error(PQerrorMessage(connection_.get()));
    PQsetNoticeProcessor(
        connection_.get(), [](void*, const char*) {}, nullptr);
}

LibpqConnection::Answer LibpqConnection::checked(PGresult* result) {
    Answer answer(result, &PQclear);
    const auto status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        throw std::runtime_error(PQerrorMessage(connection_.get()));
    return answer;
}

LibpqConnection::Answer LibpqConnection::run(const std::string& sql) {
    return checked(PQexec(connection_.get(), sql.c_str()));
}

void LibpqConnection::prepare(const std::string& name, const std::string& sql) {
    checked(PQprepare(connection_.get(), name.c_str(), sql.c_str(), 0, nullptr));
}

LibpqConnection::Answer LibpqConnection::run_prepared(const std::string& name,
                                                      const std::vector<std::string>& values) {
    std::vector<const char*> pointers;
    pointers.reserve(values.size());
    for (const auto& value : values) pointers.push_back(value.c_str());
    return checked(PQexecPrepared(connection_.get(), name.c_str(), static_cast<int>(values.size()), pointers.data(),
                                  nullptr, nullptr, 0));
}

std::string with_database(const std::string& uri, const std::string& database) {
    const auto authority = uri.find("://");
    if (authority == std::string::npos) throw std::runtime_error("not a PostgreSQL URI: " + uri);
    const auto query = std::min(uri.find('?'), uri.size());
    const auto path = std::min(uri.find('/', authority + 3), query);
    return uri.substr(0, path) + "/" + database + uri.substr(query);
}

}  // namespace holdfast::bench
