#pragma once

#include <memory>
#include <string>

namespace holdfast::worker_test {

/// Makes a store unreachable for all processes, and reachable again.
class Outage {
public:
    virtual ~Outage() = default;
    virtual void begin() = 0;
    virtual void end() = 0;
};

/// Takes and keeps the turn that writers need.
[[nodiscard]] std::unique_ptr<Outage> make_sqlite_outage(const std::string& database);

/// A private PostgreSQL server that can be stopped and started.
class OwnServer : public Outage {
public:
    [[nodiscard]] virtual std::string url() const = 0;
};
[[nodiscard]] std::unique_ptr<OwnServer> make_postgres_server();

}  // namespace holdfast::worker_test
