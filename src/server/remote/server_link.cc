#include "server/remote/server_link.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "holdfast/errors.h"

namespace holdfast::remote {

namespace {

constexpr std::size_t largest_page = 1000;

std::string escaped(std::string_view text) {
    static constexpr std::string_view digits = "0123456789ABCDEF";
    static constexpr std::string_view plain = "-._~";
    std::string escaped;
    for (const char byte : text) {
        const auto code = static_cast<unsigned char>(byte);
        const bool is_plain = (code < 128 && std::isalnum(code) != 0) || plain.find(byte) != std::string_view::npos;
        if (is_plain)
            escaped += byte;
        else
            escaped += {'%', digits[code >> 4U], digits[code & 15U]};
    }
    return escaped;
}

std::string with_query(const std::string& path, const Query& query) {
    std::string target = path;
    for (const auto& [name, value] : query)
        if (!value.empty())
            target += concat(target.size() == path.size() ? '?' : '&', escaped(name), '=', escaped(value));
    return target;
}

/// Throws the server's error as the exception that its store would have thrown.
[[noreturn]] void complain(const Json& problem, int status, const std::string& url) {
    const std::string code = problem.value("code", "");
    std::string detail = problem.value("detail", concat("the server answered with status ", status));
    for (const Json& error : problem.value("errors", Json::array())) {
        const std::string fault = concat(error.value("where", ""), " ", error.value("detail", ""));
        if (detail.find(fault) == std::string::npos) detail += concat("; ", fault);
    }
    if (code == "PAYLOAD_MISMATCH") throw PayloadMismatch(concat(code, ": ", detail));
    if (status == 401 || status == 403)
        throw Unusable(
            concat(url, ": ", detail, " (--token, or HOLDFAST_TOKEN in the environment, is sent with it)"));
    if (status == 429 || status >= 500) throw Unavailable(concat(url, ": ", detail));
    if (code == "CONFLICT") throw Conflict(detail);
    throw BadInput(detail);
}

Json shape_of(const store::ScheduleDefinition& schedule) {
    return {{"name", schedule.name},
            {"timing", Json::parse(schedule.timing)},
            {"definition", Json::parse(schedule.definition)},
            {"input", views::embedded(schedule.input)}};
}

}  // namespace

std::string path_of(const std::vector<std::string>& segments) {
    std::string path = "/api";
    for (const std::string& segment : segments) path += "/" + escaped(segment);
    return path;
}

http::Client::Answer ServerLink::send(const std::string& method, const std::string& target, const std::string& body) {
    const std::lock_guard turn(turn_);
    return client_.send(method, target, body);
}

Json ServerLink::read(const http::Client::Answer& answer) const {
    Json body = views::parse_exactly(answer.body);
    if (body.is_discarded() || !body.is_object())
        throw Unavailable(concat(url(), " does not answer as a Holdfast server does (status ", answer.status,
                                 "): is the address right?"));
    if (answer.status >= 400) complain(body, answer.status, url());
    return body;
}

Json ServerLink::get(const std::string& path, const Query& query) {
    return read(send("GET", with_query(path, query), ""));
}

Json ServerLink::find(const std::string& path) {
    const auto answer = send("GET", path, "");
    return answer.status == 404 ? Json() : read(answer);
}

Json ServerLink::post(const std::string& path, const Json& body) {
    return read(send("POST", path, views::dump(body)));
}

std::string ServerLink::status_in(const http::Client::Answer& answer) const {
    if (answer.status == 404) return "not_found";
    if (answer.status == 409) return "finished";
    return read(answer).at("status").get<std::string>();
}

std::string ServerLink::order(const std::string& path, const Json& body) {
    return status_in(send("POST", path, views::dump(body)));
}

std::string ServerLink::put(const std::string& path, const Json& body) {
    return status_in(send("PUT", path, body.dump()));
}

std::string ServerLink::remove(const std::string& path, const Query& query) {
    return status_in(send("DELETE", with_query(path, query), ""));
}

Json ServerLink::list_shapes(const std::string& path, Query query, std::size_t limit) {
    Json items = Json::array();
    while (items.size() < limit) {
        query["limit"] = std::to_string(std::min(limit - items.size(), largest_page));
        const Json page = get(path, query);
        for (const Json& item : page.at("items")) items.push_back(item);
        const Json& next = page.at("next");
        if (next.is_null() || page.at("items").empty()) break;
        query["after"] = next.is_string() ? next.get<std::string>() : next.dump();
    }
    return items;
}

Timestamp ServerLink::now() {
    return views::from_json_shape<Timestamp>(get(path_of({"overview"})).at("now"));
}

// ---- Calls for commands -------------------------------------------------------------------------

views::TaskStory task_story(ServerLink& server, const Uuid& task) {
    const Json story = server.find(path_of({"tasks", task.to_string()}));
    if (story.is_null()) throw UnknownTask(concat("there is no task ", task.to_string()));
    auto told = views::from_json_shape<views::TaskStory>(story);
    told.now = server.now();
    return told;
}

client::ScheduleChanges apply_schedules(ServerLink& server, const std::vector<store::ScheduleDefinition>& wanted,
                                        bool dry_run) {
    Json schedules = Json::array();
    for (const auto& schedule : wanted) schedules.push_back(shape_of(schedule));
    const Json answer =
        server.post(path_of({"schedules"}), {{"schedules", std::move(schedules)}, {"dry_run", dry_run}});
    client::ScheduleChanges changes;
    for (const Json& item : answer.at("items")) {
        const std::string name = item.at("schedule"), status = item.at("status");
        if (const auto change = parse_word<client::ScheduleChange>(status))
            changes.configured.emplace_back(name, *change);
        else
            changes.not_configured.push_back(name);
    }
    return changes;
}

views::RecoveryStatus recovery_status(ServerLink& server) {
    auto status = views::from_json_shape<views::RecoveryStatus>(server.get(path_of({"recovery"})));
    status.now = server.now();
    return status;
}

std::vector<engine::StaleTask> stale_tasks(ServerLink& server, const std::optional<Duration>& threshold) {
    return server.items<engine::StaleTask>(path_of({"recovery", "stale"}),
                                           {{"threshold", threshold ? format_duration(*threshold) : ""}});
}

engine::ManualAnswer settle(ServerLink& server, const std::string& order, const std::optional<Duration>& threshold) {
    Json body = Json::object();
    if (threshold) body["threshold"] = format_duration(*threshold);
    return views::from_json_shape<engine::ManualAnswer>(server.post(path_of({"recovery", order}), body));
}

engine::SweepReport sweep(ServerLink& server) {
    const Json answer = server.post(path_of({"recovery", "sweep"}));
    return {.passes = views::from_json_shape<std::vector<engine::ServicePass>>(answer.at("services"))};
}

store::PruneAnswer prune(ServerLink& server, const views::PruneOrder& order) {
    return views::from_json_shape<views::PruneView>(
               server.post(path_of({"recovery", "prune"}),
                           {{"dry_run", order.dry_run}, {"clock_is_right", order.clock_is_right}}))
        .pruned;
}

views::AuditPage search_audit(ServerLink& server, const Query& query) {
    const Json answer = server.get(path_of({"audit"}), query);
    views::AuditPage page{.lines = views::from_json_shape<std::vector<views::AuditLine>>(answer.at("items"))};
    if (!answer.at("next").is_null()) page.next = answer.at("next").get<std::int64_t>();
    return page;
}

MadeToken create_token(ServerLink& server, const store::NewToken& wanted, const std::string& lasts) {
    Json body = {{"name", wanted.name}, {"scope", word_of(wanted.scope)}, {"queues", wanted.queues}};
    if (!lasts.empty()) body["expires_in"] = lasts;
    return views::from_json_shape<MadeToken>(server.post(path_of({"tokens"}), body));
}

}  // namespace holdfast::remote
