#include "store_contract/postgres_plans.h"

#include <regex>
#include <sstream>

#include "store_contract/test_database.h"

namespace holdfast::contract {

ExplainedSession::ExplainedSession(const std::string& url) : connection_(PQconnectdb(url.c_str()), PQfinish) {
    PQsetNoticeProcessor(connection_.get(), &ExplainedSession::hear, this);
    run("LOAD 'auto_explain'");
    run("SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on;"
        " SET auto_explain.log_analyze = on; SET auto_explain.log_timing = off; SET auto_explain.log_buffers = on;"
        " SET auto_explain.log_level = notice; SET client_min_messages = notice");
    plans_.clear();
}

void ExplainedSession::run(const std::string& sql) {
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection_.get(), sql.c_str()), PQclear);
    const auto status = PQresultStatus(result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) throw SqlRefused(PQerrorMessage(connection_.get()));
}

std::string full_scan_in(const std::string& plans) {
    static const std::regex full_scan(
        "Seq Scan on (task|ready|waiting|lease|ending|attempt|slot|concurrency|progress|log|event|job|job_progress|"
        "step)\\b");
    std::istringstream lines(plans);
    for (std::string line; std::getline(lines, line);)
        if (std::regex_search(line, full_scan)) return line;
    return "";
}

long pages_touched(const std::string& plans) {
    static const std::regex buffers("Buffers: shared hit=(\\d+)(?: read=(\\d+))?");
    long pages = 0;
    for (auto match = std::sregex_iterator(plans.begin(), plans.end(), buffers); match != std::sregex_iterator();
         ++match) {
        long these = std::stol((*match)[1].str());
        if ((*match)[2].matched) these += std::stol((*match)[2].str());
        pages = std::max(pages, these);
    }
    return pages;
}

}  // namespace holdfast::contract
