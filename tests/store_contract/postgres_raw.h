#pragma once

#include <libpq-fe.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "store/errors.h"
#include "store_contract/test_database.h"

namespace holdfast::contract {

/// A libpq connection that speaks as the tests need it: tables without their schema, one thing at a time.
class PostgresRaw final : public RawSql {
public:
    explicit PostgresRaw(const std::string& url);

    void execute(const std::string& sql) override;
    std::string value(const std::string& sql) override;
    std::string literal(const Uuid& id) const override;

private:
    std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

/// The URI of the server's maintenance database, from HOLDFAST_TEST_POSTGRES.
[[nodiscard]] std::string server_url();
/// The same URI with another database.
[[nodiscard]] std::string with_database(const std::string& url, const std::string& name);

/// A call made again until the server is back.
template <typename Call>
auto once_it_is_back(const Call& call) {
    for (int tries = 0;; ++tries) {
        try {
            return call();
        } catch (const store::Unavailable&) {
            if (tries == 1000) throw;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    }
}

}  // namespace holdfast::contract
