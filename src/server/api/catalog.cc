#include "base/text.h"
#include "config/config.h"
#include "server/api/definitions.h"
#include "server/api/resources.h"
#include "views/configuration.h"

namespace holdfast::api {

namespace {

/// Returns the entry of that name. Throws NOT_FOUND, which suggests the nearest name.
template <typename Entries>
const auto& find_entry(const Entries& entries, const std::string& name, std::string_view kind) {
    const auto found = entries.find(name);
    if (found != entries.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [each, entry] : entries) names.push_back(each);
    throw Problem("NOT_FOUND",
                  concat("the server's catalog has no ", kind, " '", name, "'", suggestion(name, names)));
}

}  // namespace

http::Reply list_catalog_tasks(Call& call) {
    Json items = Json::array();
    for (const auto& [name, definition] : call.config().tasks) items.push_back(views::to_json_shape(definition));
    return answer_list(std::move(items));
}

http::Reply show_catalog_task(Call& call) {
    const std::string& name = call.path("name");
    return answer(find_entry(call.config().tasks, name, "task"));
}

http::Reply list_catalog_workflows(Call& call) {
    Json items = Json::array();
    for (const auto& [name, workflow] : call.config().workflows) items.push_back(views::to_json_shape(workflow));
    return answer_list(std::move(items));
}

http::Reply show_catalog_workflow(Call& call) {
    return answer(find_entry(call.config().workflows, call.path("name"), "workflow"));
}

http::Reply validate_yaml(Call& call) {
    const std::string yaml = call.body_text("yaml");
    require_bearable(yaml);
    const config::Config& config = call.config();
    const auto read = config::read_workflow_text(yaml, "workflow.yaml", config.tasks, config.workflows);
    return answer({{"valid", read.ok()}, {"errors", read.ok() ? Json::array() : views::array_of(read.error())}});
}

}  // namespace holdfast::api
