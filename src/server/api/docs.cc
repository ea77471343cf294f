#include <cctype>
#include <map>

#include "base/text.h"
#include "server/api/resources.h"

namespace holdfast::api {

namespace {

// ---- The OpenAPI document -----------------------------------------------------------------------

std::string operation_id(const Route& route) {
    std::string id;
    for (const char c : concat(route.method, route.path))
        id += std::isalnum(static_cast<unsigned char>(c)) != 0 ? static_cast<char>(std::tolower(c)) : '_';
    return id;
}

Json parameter_of(const Parameter& parameter) {
    Json schema = parameter.schema;
    const std::string description = schema.value("description", "");
    schema.erase("description");
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

// ---- The document for people ---------------------------------------------------------------------

constexpr std::string_view style =
    R"(:root { color-scheme: light dark; --line: #8884; --soft: #8881; --accent: #1a6fb5; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { margin-bottom: 0; } h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
a { color: var(--accent); } nav a { margin-right: 1rem; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; }
pre { background: var(--soft); padding: 0.8rem; overflow-x: auto; border-radius: 4px; }
details { border: 1px solid var(--line); border-radius: 4px; margin: 0.5rem 0; padding: 0.4rem 0.8rem; }
summary { cursor: pointer; } summary code { font-weight: 600; }
.scope { float: right; opacity: 0.75; } .method { display: inline-block; min-width: 4.2rem; color: var(--accent); }
table { border-collapse: collapse; width: 100%; } td, th { text-align: left; padding: 0.2rem 0.6rem 0.2rem 0; vertical-align: top; }
)";
constexpr const char* docs_policy =
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string escaped(std::string_view text) {
    static const std::map<char, std::string> entities = {
        {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};
    std::string safe;
    for (const char c : text) {
        const auto entity = entities.find(c);
        safe += entity == entities.end() ? std::string(1, c) : entity->second;
    }
    return safe;
}

std::string type_of(const Json& schema) {
    if (schema.contains("enum")) return join(schema.at("enum").get<std::vector<std::string>>(), " | ");
    if (schema.value("type", Json()) == "array" && schema.contains("items"))
        return concat("list of ", type_of(schema.at("items")));
    if (schema.contains("format")) return schema.at("format").get<std::string>();
    return schema.contains("type") && schema.at("type").is_string() ? schema.at("type").get<std::string>() : "any";
}

std::string parameters_table(const Route& route) {
    if (route.query.empty()) return "";
    std::string rows;
    for (const Parameter& parameter : route.query)
        rows +=
            concat("<tr><td><code>", escaped(parameter.name), "</code></td><td>", escaped(type_of(parameter.schema)),
                   "</td><td>", escaped(parameter.schema.value("description", "")), "</td></tr>");
    return concat("<table><tr><th>parameter</th><th>type</th><th></th></tr>", rows, "</table>");
}

std::string schema_link(std::string_view label, const std::string& name) {
    if (name.empty()) return "";
    return concat("<p>", label, ": <a href=\"#schema-", name, "\">", name, "</a></p>");
}

std::string route_entry(const Route& route) {
    return concat("<details><summary><code><span class=\"method\">", route.method, "</span>", escaped(route.path),
                  "</code> <span class=\"scope\">", route.scope ? word_of(*route.scope) : "anybody", "</span><br>",
                  escaped(route.summary), "</summary>", parameters_table(route), schema_link("body", route.body),
                  schema_link(concat("answer ", route.status), route.answer), "</details>\n");
}

std::string routes_chapter() {
    std::string html, chapter;
    for (const Route& route : routes()) {
        if (route.tag != chapter)
            html += concat("<h2 id=\"", escaped(route.tag), "\">", escaped(route.tag), "</h2>\n");
        chapter = route.tag;
        html += route_entry(route);
    }
    return html;
}

std::string problems_chapter() {
    std::string rows;
    for (const ProblemKind& kind : problem_kinds())
        rows += concat("<tr id=\"", kind.code, "\"><td>", kind.status, "</td><td><code>", kind.code,
                       "</code></td><td>", kind.title, "</td></tr>\n");
    return concat("<h2 id=\"problems\">Problems</h2>\n<table>", rows, "</table>\n");
}

std::string schemas_chapter() {
    std::string html = "<h2 id=\"schemas\">Schemas</h2>\n";
    for (const auto& [name, schema] : schemas().items())
        html += concat("<details id=\"schema-", name, "\"><summary><code>", name, "</code></summary><pre>",
                       escaped(schema.dump(2)), "</pre></details>\n");
    return html;
}

std::string page(const std::string& version) {
    return concat("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Holdfast API</title>",
                  "<meta name=\"viewport\" content=\"width=device-width\"><link rel=\"stylesheet\" "
                  "href=\"/api/docs.css\"></head>",
                  "<body><h1>Holdfast API</h1><p>Version ", escaped(version),
                  "; for programs: <a href=\"/api/openapi.json\">/api/openapi.json</a></p>",
                  "<nav><a href=\"#problems\">Problems</a><a href=\"#schemas\">Schemas</a></nav>\n", routes_chapter(),
                  problems_chapter(), schemas_chapter(), "</body></html>\n");
}

}  // namespace

Json openapi_document(const std::string& version) {
    Json paths = Json::object();
    for (const Route& route : routes()) paths[route.path][lower_case(route.method)] = operation_of(route);
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

http::Reply show_openapi(Call& call) {
    return answer(openapi_document(call.services.parts.version));
}

http::Reply show_docs(Call& call) {
    return http::Response{.headers = {{"content-security-policy", docs_policy}},
                          .content_type = call.route.content_type,
                          .body = page(call.services.parts.version)};
}

http::Reply show_docs_style(Call& call) {
    return http::Response{.content_type = call.route.content_type, .embedded = style};
}

}  // namespace holdfast::api
