#include "base/text.h"
#include "server/api/openapi.h"
#include "server/api/resources.h"
#include "server/api/schemas.h"

namespace holdfast::api {

namespace {

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
constexpr std::string_view docs_policy =
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string escaped(std::string_view text) {
    std::string safe;
    for (const char c : text) {
        if (c == '&')
            safe += "&amp;";
        else if (c == '<')
            safe += "&lt;";
        else if (c == '>')
            safe += "&gt;";
        else if (c == '"')
            safe += "&quot;";
        else
            safe += c;
    }
    return safe;
}

std::string type_of(const Json& schema) {
    if (schema.contains("enum")) {
        std::vector<std::string> words;
        for (const Json& word : schema.at("enum")) words.push_back(word.get<std::string>());
        return join(words, " | ");
    }
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

http::Reply show_openapi(Call& call) {
    return answer(openapi_document(call.services.parts.version));
}

http::Reply show_docs(Call& call) {
    http::Response response{.content_type = call.route.content_type, .body = page(call.services.parts.version)};
    response.headers.emplace_back("content-security-policy", docs_policy);
    return response;
}

http::Reply show_docs_style(Call& call) {
    return http::Response{.content_type = call.route.content_type, .embedded = style};
}

}  // namespace holdfast::api
