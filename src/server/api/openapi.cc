#include "server/api/openapi.h"

#include <cctype>

#include "base/text.h"
#include "server/api/resources.h"
#include "server/api/schemas.h"

namespace holdfast::api {

namespace {

std::string operation_id(const Route& route) {
    std::string id;
    for (const char c : concat(route.method, route.path))
        id += std::isalnum(static_cast<unsigned char>(c)) != 0 ? static_cast<char>(std::tolower(c)) : '_';
    return id;
}

std::string without_description(Json& schema) {
    if (!schema.contains("description")) return "";
    std::string description = schema.at("description").get<std::string>();
    schema.erase("description");
    return description;
}

Json parameter_of(const Parameter& parameter) {
    Json schema = parameter.schema;
    const std::string description = without_description(schema);
    Json shape = {{"name", parameter.name}, {"in", "query"}, {"required", false}};
    if (!description.empty()) shape["description"] = description;
    if (schema.value("type", "") == "array") {
        shape["style"] = "form";
        shape["explode"] = false;
    }
    shape["schema"] = std::move(schema);
    return shape;
}

void add_path_parameters(const std::string& path, Json& parameters) {
    for (auto open = path.find('{'); open != std::string::npos; open = path.find('{', open + 1)) {
        const std::string name = path.substr(open + 1, path.find('}', open) - open - 1);
        Json shape = {{"name", name}, {"in", "path"}, {"required", true}, {"schema", schema::text()}};
        if (name == "id") shape["description"] = "the id, or a beginning of it that only one has";
        parameters.push_back(std::move(shape));
    }
}

Json parameters_of(const Route& route) {
    Json parameters = Json::array();
    add_path_parameters(route.path, parameters);
    for (const Parameter& parameter : route.query) parameters.push_back(parameter_of(parameter));
    return parameters;
}

Json content_of(const Route& route) {
    const std::string type = route.content_type.substr(0, route.content_type.find(';'));
    Json content = {{type, {{"schema", route.answer.empty() ? schema::text() : schema::ref(route.answer)}}}};
    if (route.handler == list_or_stream_events) content["text/event-stream"] = {{"schema", schema::text()}};
    return content;
}

Json success(const Route& route, std::string_view description) {
    return {{"description", description}, {"content", content_of(route)}};
}

Json responses_of(const Route& route) {
    Json responses = Json::object();
    responses[std::to_string(route.status)] = success(route, "done");
    if (route.may_exist) responses["200"] = success(route, "the same had been done before, or many were submitted");
    if (route.path == "/readyz") responses["503"] = success(route, "not ready");
    responses["default"] = {{"description", "a problem: what was wrong, and what to do"},
                            {"content", {{"application/problem+json", {{"schema", schema::ref("Problem")}}}}}};
    return responses;
}

Json operation_of(const Route& route) {
    Json operation = {{"operationId", operation_id(route)},
                      {"tags", Json::array({route.tag})},
                      {"summary", route.summary},
                      {"x-holdfast-scope", route.scope ? Json(word_of(*route.scope)) : Json()},
                      {"parameters", parameters_of(route)}};
    if (!route.body.empty())
        operation["requestBody"] = {{"required", schemas().at(route.body).contains("required")},
                                    {"content", {{"application/json", {{"schema", schema::ref(route.body)}}}}}};
    operation["responses"] = responses_of(route);
    operation["security"] =
        route.scope ? Json::array({{{"token", Json::array()}}, {{"page", Json::array()}}}) : Json::array();
    return operation;
}

}  // namespace

Json openapi_document(const std::string& version) {
    Json paths = Json::object();
    for (const Route& route : routes()) {
        paths[route.path][lower_case(route.method)] = operation_of(route);
    }
    return {{"openapi", "3.1.0"},
            {"info",
             {{"title", "Holdfast"},
              {"version", version},
              {"description", "Durable tasks and workflows. Errors are RFC 9457 problems; `code` is for programs."}}},
            {"paths", std::move(paths)},
            {"components",
             {{"schemas", schemas()},
              {"securitySchemes",
               {{"token", {{"type", "http"}, {"scheme", "bearer"}}},
                {"page", {{"type", "apiKey"}, {"in", "cookie"}, {"name", "holdfast_session"}}}}}}}};
}

}  // namespace holdfast::api
