#include "views/schedule.h"

#include <algorithm>

#include "base/text.h"
#include "client/catalog_changes.h"
#include "client/operations.h"
#include "core/calendar/schedule.h"
#include "core/json_text.h"
#include "server/api/definitions.h"
#include "server/api/resources.h"

namespace holdfast::api {

namespace {

constexpr int slots_shown = 5;

[[noreturn]] void refuse_unknown(const std::string& name, const std::vector<std::string>& known) {
    throw Problem("NOT_FOUND", concat("there is no schedule '", name, "'", suggestion(name, known)));
}

store::ScheduleRecord find_schedule(Call& call) {
    std::vector<std::string> names;
    for (auto& record : call.store().schedules()) {
        if (record.schedule.name == call.path("name")) return std::move(record);
        names.push_back(record.schedule.name);
    }
    refuse_unknown(call.path("name"), names);
}

http::Response schedule_steered(Call& call, bool was_there, std::string_view status) {
    if (!was_there) refuse_unknown(call.path("name"), {});
    return answer({{"schedule", call.path("name")}, {"status", status}});
}

/// Returns the schedule as the store keeps it. Throws REFUSED, or FORBIDDEN for queues that the caller may not use.
store::ScheduleDefinition read_schedule(Call& call, const Value& item, std::string_view written) {
    const std::string name = item.at("name");
    const auto timing = core::parse_timing(item.at("timing").dump());
    if (!timing.ok()) throw Problem("REFUSED", concat("schedule '", name, "': ", timing.error()));
    const core::WorkflowBundle bundle = checked_bundle(item.at("definition"));
    require_queues_of(call.caller, bundle);
    require_known_work(call, bundle);
    store::ScheduleDefinition schedule{
        .name = name,
        .timing = core::to_json_text(*timing),
        .definition = core::to_json_text(bundle),
        .input = checked_input(bundle.workflows.at(bundle.main), core::json_member(written, "input"))};
    const auto view = views::view_of({.schedule = schedule}, call.store().now(), 1);
    if (!view.problem.empty()) throw Problem("REFUSED", concat("schedule '", name, "': ", view.problem));
    return schedule;
}

}  // namespace

http::Reply list_schedules(Call& call) {
    const Timestamp now = call.store().now();
    std::vector<views::ScheduleView> schedules;
    for (const auto& record : call.store().schedules()) schedules.push_back(views::view_of(record, now, slots_shown));
    return answer_list(schedules);
}

http::Reply apply_schedules(Call& call) {
    std::vector<store::ScheduleDefinition> wanted;
    const Value& items_given = call.body.at("schedules");
    const auto written = core::json_elements(core::json_member(call.request.body, "schedules"));
    for (std::size_t i = 0; i < items_given.size(); ++i)
        wanted.push_back(read_schedule(call, items_given[i], written.at(i)));
    const auto changes = call.body_flag("dry_run") ? client::compare_schedules(call.store(), wanted)
                                                   : client::put_schedules(call.store(), wanted, call.caller.who());
    Json items = Json::array();
    for (const auto& [name, change] : changes.configured)
        items.push_back({{"schedule", name}, {"status", word_of(change)}});
    for (const std::string& name : changes.not_configured)
        items.push_back({{"schedule", name}, {"status", "not_configured"}});
    return answer_list(std::move(items));
}

http::Reply show_schedule(Call& call) {
    return answer(views::view_of(find_schedule(call), call.store().now(), slots_shown));
}

http::Reply set_schedule_paused(Call& call, bool paused) {
    (void)find_schedule(call);
    const bool was_there = call.store().set_schedule_paused(call.path("name"), paused, call.caller.who());
    return schedule_steered(call, was_there, paused ? "paused" : "resumed");
}

http::Reply run_schedule(Call& call) {
    const auto schedule = find_schedule(call).schedule;
    const Uuid job = client::start_job(
        call.store(), {.definition = schedule.definition, .input = schedule.input, .who = call.caller.who()});
    return answer({{"id", job.to_string()}, {"schedule", schedule.name}}, 201);
}

http::Reply remove_schedule(Call& call) {
    (void)find_schedule(call);
    return schedule_steered(call, call.store().remove_schedule(call.path("name"), call.caller.who()), "removed");
}

}  // namespace holdfast::api
