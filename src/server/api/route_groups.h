#pragma once

#include <string>
#include <vector>

#include "server/api/resources.h"
#include "server/api/route.h"

namespace holdfast::api {

// The routes, by what they are about; routes() puts them together.

// task_routes.cc
void add_tasks(std::vector<Route>& all);
void add_orders_to_tasks(std::vector<Route>& all);
void add_logs_of_tasks(std::vector<Route>& all);
// job_routes.cc
void add_jobs(std::vector<Route>& all);
void add_orders_to_jobs(std::vector<Route>& all);
void add_steps_of_jobs(std::vector<Route>& all);

// What several of them take.
template <typename States>
Json states_of(const States& states) {
    std::vector<std::string> words;
    for (const auto state : states) words.emplace_back(to_text(state));
    return schema::array(schema::word(words), "one or more, separated by commas");
}

inline const Parameter limit{"limit", schema::integer_between(1, 1000, "at most so many (default: 50)")};
inline const Parameter after_id{"after", schema::uuid("the last id of the page before")};
inline const Parameter after_offset{"after", schema::integer_between(0, INT64_MAX, "an offset to go on from")};
inline const Parameter id_prefix{"id", schema::text("ids that begin so")};
inline const Parameter wait_timeout{"timeout", schema::duration("how long to wait (default: 30s, at most 60s)")};

}  // namespace holdfast::api
