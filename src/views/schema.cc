#include "views/schema.h"

#include <algorithm>

namespace holdfast::views::schema {

namespace {

Json described(Json schema, const std::string& description) {
    if (!description.empty()) schema["description"] = description;
    return schema;
}

Json formatted_text(const char* format, const std::string& description) {
    return described({{"type", "string"}, {"format", format}}, description);
}

Json members_schema(const Members& members) {
    Json properties = Json::object();
    for (const auto& [name, member] : members) properties[name] = member;
    return {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

}  // namespace

Json any(const std::string& description) {
    return described(Json::object(), description);
}
Json text(const std::string& description) {
    return described({{"type", "string"}}, description);
}
Json boolean(const std::string& description) {
    return described({{"type", "boolean"}}, description);
}
Json integer(const std::string& description) {
    return described({{"type", "integer"}}, description);
}
Json integer_between(std::int64_t least, std::int64_t most, const std::string& description) {
    return described({{"type", "integer"}, {"minimum", least}, {"maximum", most}}, description);
}
Json number(const std::string& description) {
    return described({{"type", "number"}}, description);
}
Json uuid(const std::string& description) {
    return formatted_text("uuid", description);
}
Json time(const std::string& description) {
    return formatted_text("date-time", description);
}
Json duration(const std::string& description) {
    return formatted_text("holdfast-duration", description);
}
Json moment(const std::string& description) {
    return formatted_text("holdfast-moment", description);
}
Json word(const std::vector<std::string>& allowed, const std::string& description) {
    return described({{"type", "string"}, {"enum", allowed}}, description);
}
Json array(Json items, const std::string& description) {
    return described({{"type", "array"}, {"items", std::move(items)}}, description);
}
Json map(Json of, const std::string& description) {
    return described({{"type", "object"}, {"additionalProperties", std::move(of)}}, description);
}
Json ref(const std::string& component) {
    return {{"$ref", "#/components/schemas/" + component}};
}

Json nullable(Json schema) {
    const auto type = schema.find("type");
    if (schema.empty() || (type != schema.end() && type->is_array())) return schema;
    if (type != schema.end() && !schema.contains("enum")) {
        schema["type"] = Json::array({*type, "null"});
        return schema;
    }
    if (schema.contains("anyOf") || (type == schema.end() && !schema.contains("$ref"))) return schema;
    return {{"anyOf", Json::array({std::move(schema), {{"type", "null"}}})}};
}

Json object(const Members& members) {
    Json schema = members_schema(members);
    schema["required"] = Json::array();
    for (const auto& [name, member] : members) schema["required"].push_back(name);
    return schema;
}

Json form(const Members& members, const std::vector<std::string>& required) {
    Members laxer = members;
    for (auto& [name, member] : laxer)
        if (std::ranges::count(required, name) == 0) member = nullable(std::move(member));
    Json schema = members_schema(laxer);
    if (!required.empty()) schema["required"] = required;
    return schema;
}

}  // namespace holdfast::views::schema
