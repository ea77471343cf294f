#include "server/api/schema.h"

#include <algorithm>

#include "base/assert.h"
#include "base/text.h"
#include "holdfast/uuid.h"

namespace holdfast::api::schema {

namespace {

struct Type {
    std::string_view name, meaning;
    bool (Value::*has)() const noexcept;
};
constexpr Type types[] = {
    {"string", "a text", &Value::is_string},   {"integer", "a whole number", &Value::is_number_integer},
    {"number", "a number", &Value::is_number}, {"boolean", "true or false", &Value::is_boolean},
    {"array", "a list", &Value::is_array},     {"object", "an object", &Value::is_object},
    {"null", "null", &Value::is_null},
};

const Type& type_of_name(std::string_view name) {
    const auto* type = std::ranges::find(types, name, &Type::name);
    HOLDFAST_ASSERT(type != std::end(types));
    return *type;
}

/// Returns the value, shortened to fit into a sentence.
std::string shown(const Value& value) {
    if (value.is_structured()) return value.is_array() ? "a list" : "an object";
    const std::string whole = value.dump(-1, ' ', false, Value::error_handler_t::replace);
    return whole.size() <= 80 ? whole
                              : concat(value.is_string() ? "a text" : "a number", " of ", whole.size(), " bytes");
}

bool is_moment(const std::string& text) {
    return parse_timestamp(text) || parse_duration(text, std::chrono::seconds(1));
}

/// Returns what a text of that format must be; empty: the text is valid.
std::string format_fault(const std::string& format, const std::string& text) {
    if (format == "uuid" && !Uuid::parse(text)) return "a UUID";
    if (format == "date-time" && !parse_timestamp(text)) return "a time such as 2026-11-15T08:30:00Z";
    if (format == "holdfast-duration" && !parse_duration(text, std::chrono::seconds(1)))
        return "a duration such as 30s, 5m or 1h30m";
    if (format == "holdfast-moment" && !is_moment(text))
        return "a time such as 2026-11-15T08:30:00Z, or a duration from now such as 30m";
    return "";
}

/// One walk over a value together with its schema.
class Check {
public:
    explicit Check(const Json& components) : components_(components) {}

    void look(const Value& value, const Json& given, const std::string& where) {
        const Json& schema = resolved(given);
        if (schema.contains("anyOf")) return look_at_choices(value, schema.at("anyOf"), where);
        if (schema.contains("oneOf")) return look_at_choices(value, schema.at("oneOf"), where);
        if (!look_at_type(value, schema, where) || value.is_null()) return;
        look_at_words(value, schema, where);
        if (value.is_number()) look_at_range(value, schema, where);
        if (value.is_string()) look_at_text(value.get_ref<const std::string&>(), schema, where);
        if (value.is_array()) look_at_items(value, schema, where);
        if (value.is_object()) look_at_members(value, schema, where);
    }

    std::vector<Fault> faults;

private:
    const Json& resolved(const Json& schema) const {
        static constexpr std::string_view prefix = "#/components/schemas/";
        const auto reference = schema.find("$ref");
        if (reference == schema.end()) return schema;
        const std::string name = reference->get<std::string>().substr(prefix.size());
        HOLDFAST_ASSERT(components_.contains(name));
        return components_.at(name);
    }

    void complain(const std::string& where, std::string detail) { faults.push_back({where, std::move(detail)}); }

    /// The value must match one of the choices. Otherwise the faults against the first choice are reported.
    void look_at_choices(const Value& value, const Json& choices, const std::string& where) {
        std::vector<Fault> first;
        for (const Json& choice : choices) {
            Check attempt(components_);
            attempt.look(value, choice, where);
            if (attempt.faults.empty()) return;
            if (first.empty()) first = std::move(attempt.faults);
        }
        faults.insert(faults.end(), first.begin(), first.end());
    }

    bool look_at_type(const Value& value, const Json& schema, const std::string& where) {
        const auto type = schema.find("type");
        if (type == schema.end()) return true;
        const Json allowed = type->is_array() ? *type : Json::array({*type});
        for (const Json& name : allowed)
            if ((value.*type_of_name(name.get<std::string>()).has)()) return true;
        const std::string_view wanted = type_of_name(allowed.front().get<std::string>()).meaning;
        complain(where, concat("must be ", wanted, ", not ", shown(value)));
        return false;
    }

    void look_at_words(const Value& value, const Json& schema, const std::string& where) {
        const auto allowed = schema.find("enum");
        if (allowed == schema.end()) return;
        std::vector<std::string> words;
        for (const Json& each : *allowed) {
            if (value.is_string() && each == value.get_ref<const std::string&>()) return;
            words.push_back(each.get<std::string>());
        }
        complain(where, concat("must be one of ", join(words, ", "), ", not ", shown(value)));
    }

    void look_at_range(const Value& value, const Json& schema, const std::string& where) {
        const double number = value.get<double>();
        const bool too_small = schema.contains("minimum") && number < schema.at("minimum").get<double>();
        const bool too_large = schema.contains("maximum") && number > schema.at("maximum").get<double>();
        if (too_small || too_large)
            complain(where, concat("must be ", schema.at("minimum").dump(), " to ", schema.at("maximum").dump(),
                                   ", not ", shown(value)));
    }

    void look_at_text(const std::string& text, const Json& schema, const std::string& where) {
        if (const auto defect = text_defect(text)) return complain(where, *defect);
        const auto format = schema.find("format");
        if (format == schema.end()) return;
        const std::string wanted = format_fault(format->get<std::string>(), text);
        if (!wanted.empty()) complain(where, concat("must be ", wanted, ", not ", shown(text)));
    }

    void look_at_items(const Value& value, const Json& schema, const std::string& where) {
        if (schema.contains("maxItems") && value.size() > schema.at("maxItems").get<std::size_t>())
            return complain(where,
                            concat("may have at most ", schema.at("maxItems").dump(), " items, not ", value.size()));
        if (schema.contains("minItems") && value.size() < schema.at("minItems").get<std::size_t>())
            return complain(where, "must not be empty");
        if (!schema.contains("items")) return;
        for (std::size_t i = 0; i < value.size(); ++i) look(value[i], schema.at("items"), concat(where, "[", i, "]"));
    }

    void look_at_members(const Value& value, const Json& schema, const std::string& where) {
        const std::string above = where.empty() ? "" : where + ".";
        if (schema.contains("required"))
            for (const Json& name : schema.at("required"))
                if (!value.contains(name.get_ref<const std::string&>()))
                    complain(above + name.get_ref<const std::string&>(), "is missing");
        for (const auto& [name, member] : value.items()) look_at_member(name, member, schema, above);
    }

    void look_at_member(const std::string& name, const Value& member, const Json& schema, const std::string& above) {
        const auto members = schema.find("properties");
        if (members != schema.end() && members->contains(name)) return look(member, members->at(name), above + name);
        const auto others = schema.find("additionalProperties");
        if (others == schema.end()) return;
        if (others->is_object()) return look(member, *others, above + name);
        std::vector<std::string> known;
        if (members != schema.end())
            for (const auto& [each, ignored] : members->items()) known.push_back(each);
        complain(above + name, unknown(name, known));
    }

    const Json& components_;
};

}  // namespace

std::vector<Fault> faults_of(const Value& value, const Json& schema, const Json& components,
                             const std::string& where) {
    Check check(components);
    check.look(value, schema, where);
    return std::move(check.faults);
}

}  // namespace holdfast::api::schema
