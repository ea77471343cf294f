#pragma once

#include <memory>
#include <string>

namespace holdfast::worker_test {

/// Takes a store away from everybody, and gives it back.
class Outage {
public:
    virtual ~Outage() = default;
    virtual void begin() = 0;
    virtual void end() = 0;
};

/// This process takes the turn of those who write, and keeps it.
[[nodiscard]] std::unique_ptr<Outage> make_sqlite_outage(const std::string& database);

/// A PostgreSQL server of the test's own, that can be stopped and started.
class OwnServer : public Outage {
public:
    [[nodiscard]] virtual std::string url() const = 0;
};
[[nodiscard]] std::unique_ptr<OwnServer> make_postgres_server();

}  // namespace holdfast::worker_test
