#pragma once

#include <libpq-fe.h>

#include <memory>
#include <string>
#include <utility>

namespace holdfast::contract {

/// What the server did for the statements of one session, nested ones included: auto_explain tells it as notices.
class ExplainedSession {
public:
    explicit ExplainedSession(const std::string& url);

    /// Throws SqlRefused.
    void run(const std::string& sql);
    /// The plans of what ran since the last call.
    std::string take_plans() { return std::exchange(plans_, ""); }

private:
    static void hear(void* session, const char* notice) { static_cast<ExplainedSession*>(session)->plans_ += notice; }

    std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
    std::string plans_;
};

/// The first line of a plan that reads one of the large tables from end to end.
[[nodiscard]] std::string full_scan_in(const std::string& plans);

/// How many pages the last, outermost statement touched.
[[nodiscard]] long pages_touched(const std::string& plans);

}  // namespace holdfast::contract
