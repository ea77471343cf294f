#pragma once

#include <libpq-fe.h>

#include <memory>
#include <string>
#include <vector>

namespace holdfast::bench {

/// A bare libpq connection. Throws std::runtime_error with the server's message.
class LibpqConnection {
public:
    explicit LibpqConnection(const std::string& uri);

    using Answer = std::unique_ptr<PGresult, decltype(&PQclear)>;
    Answer run(const std::string& sql);
    void prepare(const std::string& name, const std::string& sql);
    Answer run_prepared(const std::string& name, const std::vector<std::string>& values);

private:
    Answer checked(PGresult* result);

    std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

/// The same URI with another database name.
[[nodiscard]] std::string with_database(const std::string& uri, const std::string& database);

}  // namespace holdfast::bench
