#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/words.h"
#include "core/option.h"
#include "holdfast/time.h"
#include "holdfast/uuid.h"
#include "views/json.h"
#include "views/schema.h"

namespace holdfast::views {

// A record that people see is described once, by a table of its members. The table writes the JSON object, reads it
// back and gives its schema. Every member is always there; null where there is nothing to say.
//
//     Table<Queue> table(Of<Queue>) {
//         static constexpr Member<Queue> members[] = {
//             member<&Queue::name>("name"),
//             member<&Queue::paused>("paused", "none of its tasks is given out"),
//         };
//         return {"Queue", members};
//     }

template <typename Record>
struct Member {
    std::string_view name;  ///< empty: the members of another record are inserted here
    std::string_view meaning;
    Json (*write)(const Record& record);
    void (*read)(const Json& value, Record& record);  ///< nullptr: the member is derived from others
    Json (*schema)();
};

template <typename Record>
struct Table {
    std::string_view name;  ///< the name of its schema in the components of the OpenAPI document
    std::span<const Member<Record>> members;
    void (*complete)(Record& record) = nullptr;  ///< runs after all members have been read
};

/// A type tag: `table(Of<Record>())` is the table of a record, declared in the header of its noun.
template <typename>
struct Of {};

/// The name of a type without its namespaces: "TaskState".
template <typename Type>
consteval std::string_view name_of_type() {
    std::string_view name = __PRETTY_FUNCTION__;
    name = name.substr(name.find("Type = ") + 7);
    name = name.substr(0, name.find_first_of(";]"));
    return name.substr(name.rfind(':') + 1);
}

/// Returns the value that was parsed from `found`; throws as misfit() does when there is none.
template <typename Value>
Value parsed(std::string_view what, const Json& found, std::optional<Value> value) {
    if (!value) misfit(what, found);
    return *std::move(value);
}

template <typename Record>
[[nodiscard]] Json to_json_shape(const Record& record);
/// Reads a value. Members that the object lacks keep their defaults. Throws nlohmann's exceptions or
/// std::invalid_argument when the object has a different form.
template <typename Value>
[[nodiscard]] Value from_json_shape(const Json& shape);
/// The schema of the record itself, for the components; other schemas refer to it by name.
template <typename Record>
[[nodiscard]] Json object_schema();

// ---- Forms: writing, reading and the schema of a type ------------------------------------------------------------

/// A record with a table.
template <typename Value>
struct Form {
    static Json write(const Value& value) { return to_json_shape(value); }
    static void read(const Json& shape, Value& value) {
        const Table<Value> described = table(Of<Value>());
        for (const Member<Value>& member : described.members)
            if (member.read) member.read(member.name.empty() ? shape : shape.at(std::string(member.name)), value);
        if (described.complete) described.complete(value);
    }
    static Json schema() { return schema::ref(std::string(table(Of<Value>()).name)); }
};

/// Values that the JSON library supports directly.
template <typename Value, auto make_schema>
struct PlainForm {
    static Json write(const Value& value) { return value; }
    static void read(const Json& shape, Value& value) { value = shape.get<Value>(); }
    static Json schema() { return make_schema({}); }
};
template <>
struct Form<std::string> : PlainForm<std::string, schema::text> {};
template <>
struct Form<bool> : PlainForm<bool, schema::boolean> {};
template <typename Value>
requires std::is_integral_v<Value>
struct Form<Value> : PlainForm<Value, schema::integer> {
};
template <>
struct Form<double> : PlainForm<double, schema::number> {};
template <>
struct Form<nlohmann::json> : PlainForm<nlohmann::json, schema::any> {};

template <>
struct Form<Uuid> {
    static Json write(const Uuid& id) { return id.to_string(); }
    static void read(const Json& shape, Uuid& id) {
        id = parsed("UUID", shape, Uuid::parse(shape.get<std::string>()));
    }
    static Json schema() { return schema::uuid(); }
};
template <>
struct Form<Timestamp> {
    static Json write(Timestamp at) { return format_timestamp(at); }
    static void read(const Json& shape, Timestamp& at) {
        at = parsed("time", shape, parse_timestamp(shape.get<std::string>()));
    }
    static Json schema() { return schema::time(); }
};
/// Written as "30s" or "1h30m".
template <>
struct Form<Duration> {
    static Json write(Duration length) { return format_duration(length); }
    static void read(const Json& shape, Duration& length) {
        length = parsed("duration", shape, parse_duration(shape.get<std::string>(), std::chrono::seconds(1)));
    }
    static Json schema() { return schema::duration(); }
};

/// Written as the word of its value. Its schema is a component with the name of the type.
template <Worded Enum>
struct Form<Enum> {
    static Json write(Enum value) { return word_of(value); }
    static void read(const Json& shape, Enum& value) {
        value = parsed("word of this member", shape, parse_word<Enum>(shape.get<std::string>()));
    }
    static Json schema() { return schema::ref(std::string(name_of_type<Enum>())); }
    static std::vector<std::string> words() {
        auto words = all_words<Enum>();
        std::erase(words, "");  // the word for null
        return words;
    }
};

/// Null, or the form of the value that is there.
template <typename Value, typename ItsForm>
struct OptionalForm {
    static Json write(const std::optional<Value>& value) { return value ? ItsForm::write(*value) : Json(); }
    static void read(const Json& shape, std::optional<Value>& value) {
        if (!shape.is_null()) ItsForm::read(shape, value.emplace());
    }
    static Json schema() { return schema::nullable(ItsForm::schema()); }
};
template <typename Value>
struct Form<std::optional<Value>> : OptionalForm<Value, Form<Value>> {};
template <typename Value>
struct Form<std::vector<Value>> {
    static Json write(const std::vector<Value>& values) {
        Json array = Json::array();
        for (const Value& value : values) array.push_back(Form<Value>::write(value));
        return array;
    }
    static void read(const Json& shape, std::vector<Value>& values) {
        for (const Json& item : shape) Form<Value>::read(item, values.emplace_back());
    }
    static Json schema() { return schema::array(Form<Value>::schema()); }
};
template <typename Value>
struct Form<std::map<std::string, Value>> : PlainForm<std::map<std::string, Value>, schema::any> {
    static Json schema() { return schema::map(Form<Value>::schema()); }
};

// ---- Members that deviate from the form of their type ------------------------------------------------------------

/// Uses the form of its type.
struct AsItIs {
    template <typename Value>
    using Of = Form<Value>;
};

/// The same, but null when the value equals that of a default record: an empty text, the nil id, no lease.
struct OrNull : AsItIs {};
inline constexpr OrNull or_null;

/// A text that holds JSON, inserted into the object as a value; null when it is empty. `Content` is the type of that
/// value, when known.
template <typename Content = nlohmann::json>
struct JsonText {
    template <typename Value>
    struct Of {
        static Json write(const Value& value) { return embedded(value); }
        static void read(const Json& shape, Value& value) {
            if (!shape.is_null()) value = dump(shape);
        }
        static Json schema() { return schema::nullable(Form<Content>::schema()); }
    };
};
inline constexpr JsonText<> json_text;
/// Counts by name.
inline constexpr JsonText<std::map<std::string, std::int64_t>> json_counts;

/// A text whose value is always a word of an enumeration.
template <Worded Enum>
struct TextOfWord {
    template <typename Value>
    struct Of : Form<Value> {
        static Json schema() { return Form<Enum>::schema(); }
    };
};

/// A duration as a number of seconds.
struct Seconds {
    template <typename Value>
    struct Of {
        static Json write(Duration length) { return std::chrono::duration<double>(length).count(); }
        static void read(const Json& shape, Duration& length) {
            length = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(shape.get<double>()));
        }
        static Json schema() { return schema::number(); }
    };
    template <typename Value>
    struct Of<std::optional<Value>> : OptionalForm<Value, Of<Value>> {};
};
inline constexpr Seconds seconds;

// ---- Rows of a table ----------------------------------------------------------------------------------------------

/// The member that the pointers lead to; the record itself when there are none.
template <auto... path>
constexpr auto& at_path(auto& record) {
    return (record.*....*path);
}

template <typename As, auto... path>
struct PathMember {
    std::string_view name, meaning;

    template <typename Record>
    using FormOf = typename As::template Of<std::remove_cvref_t<decltype(at_path<path...>(std::declval<Record&>()))>>;
    static constexpr bool is_or_null = std::is_same_v<As, OrNull>;

    template <typename Record>
    static Json write(const Record& record) {
        if constexpr (is_or_null) {
            static const Record fresh{};
            if (at_path<path...>(record) == at_path<path...>(fresh)) return {};
        }
        return FormOf<Record>::write(at_path<path...>(record));
    }
    template <typename Record>
    static void read(const Json& shape, Record& record) {
        if (!is_or_null || !shape.is_null()) FormOf<Record>::read(shape, at_path<path...>(record));
    }
    template <typename Record>
    static Json schema() {
        return is_or_null ? schema::nullable(FormOf<Record>::schema()) : FormOf<Record>::schema();
    }
    template <typename Record>
    constexpr operator Member<Record>() const {  // NOLINT(google-explicit-constructor): a row of the record's table
        return {name, meaning, write<Record>, read<Record>, schema<Record>};
    }
};

/// The member that the pointers lead to: `member<&Record::task, &Task::id>("id")`.
template <auto... path>
constexpr PathMember<AsItIs, path...> member(std::string_view name, std::string_view meaning = {}) {
    return {name, meaning};
}
template <auto... path, typename As>
requires std::is_empty_v<As>
constexpr PathMember<As, path...> member(std::string_view name, As /*form*/, std::string_view meaning = {}) {
    return {name, meaning};
}

template <typename Function>
struct Signature;
template <typename Result, typename Argument>
struct Signature<Result (*)(Argument)> {
    using Value = std::remove_cvref_t<Result>;
    using Record = std::remove_cvref_t<Argument>;
};

/// A member whose value is `write_it(record)`. `read_it(value, record)` stores it back; without `read_it` the member
/// is ignored when reading.
template <auto write_it, auto read_it = nullptr>
constexpr auto derived(std::string_view name, std::string_view meaning = {}) {
    using Value = typename Signature<decltype(write_it)>::Value;
    using Record = typename Signature<decltype(write_it)>::Record;
    Member<Record> made{name, meaning, [](const Record& record) { return Form<Value>::write(write_it(record)); },
                        nullptr, Form<Value>::schema};
    if constexpr (!std::is_null_pointer_v<decltype(read_it)>)
        made.read = [](const Json& shape, Record& record) { read_it(from_json_shape<Value>(shape), record); };
    return made;
}

template <typename Part, auto... path>
struct InsertedMembers {
    template <typename Record>
    constexpr operator Member<Record>() const {  // NOLINT(google-explicit-constructor): a row of the record's table
        return {{},
                {},
                [](const Record& record) { return to_json_shape<Part>(at_path<path...>(record)); },
                [](const Json& shape, Record& record) { Form<Part>::read(shape, at_path<path...>(record)); },
                object_schema<Part>};
    }
};
/// Inserts all members of the part that the pointer leads to.
template <auto part>
constexpr InsertedMembers<decltype(core::type_of_member(part)), part> members_of() {
    return {};
}
/// Inserts all members of the record's base.
template <typename Base>
constexpr InsertedMembers<Base> members_of_base() {
    return {};
}

// ---- Functions derived from a table ------------------------------------------------------------------------------

template <typename Record>
Json to_json_shape(const Record& record) {
    Json shape = Json::object();
    auto& members = shape.get_ref<Json::object_t&>();
    for (const Member<Record>& member : table(Of<Record>()).members) {
        Json value = member.write(record);
        if (!member.name.empty())
            members.emplace_back(std::string(member.name), std::move(value));
        else
            for (auto& part : value.get_ref<Json::object_t&>()) members.push_back(std::move(part));
    }
    return shape;
}

template <typename Value>
Value from_json_shape(const Json& shape) {
    Value value{};
    Form<Value>::read(shape, value);
    return value;
}

/// Writes the records as an array of objects.
template <typename Record>
[[nodiscard]] Json array_of(const std::vector<Record>& records) {
    return Form<std::vector<Record>>::write(records);
}

template <typename Record>
Json object_schema() {
    schema::Members members;
    for (const Member<Record>& member : table(Of<Record>()).members) {
        Json described = member.schema();
        if (!member.meaning.empty()) described["description"] = member.meaning;
        if (!member.name.empty())
            members.emplace_back(member.name, std::move(described));
        else
            for (const auto& [name, part] : described.at("properties").items()) members.emplace_back(name, part);
    }
    return schema::object(members);
}

}  // namespace holdfast::views
