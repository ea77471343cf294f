#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/words.h"
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

/// Throws std::invalid_argument with a sentence such as "7 is not a time".
[[noreturn]] void misfit(std::string_view what, const Json& found);

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
template <typename Value>
struct PlainForm {
    static Json write(const Value& value) { return value; }
    static void read(const Json& shape, Value& value) { value = shape.get<Value>(); }
};
template <>
struct Form<std::string> : PlainForm<std::string> {
    static Json schema() { return schema::text(); }
};
template <>
struct Form<bool> : PlainForm<bool> {
    static Json schema() { return schema::boolean(); }
};
template <typename Value>
requires std::is_integral_v<Value>
struct Form<Value> : PlainForm<Value> {
    static Json schema() { return schema::integer(); }
};
template <>
struct Form<double> : PlainForm<double> {
    static Json schema() { return schema::number(); }
};
template <>
struct Form<nlohmann::json> : PlainForm<nlohmann::json> {
    static Json schema() { return schema::any(); }
};

template <>
struct Form<Uuid> {
    static Json write(const Uuid& id) { return id.to_string(); }
    static void read(const Json& shape, Uuid& id);
    static Json schema() { return schema::uuid(); }
};
template <>
struct Form<Timestamp> {
    static Json write(Timestamp at);
    static void read(const Json& shape, Timestamp& at);
    static Json schema() { return schema::time(); }
};
/// Written as "30s" or "1h30m".
template <>
struct Form<Duration> {
    static Json write(Duration length);
    static void read(const Json& shape, Duration& length);
    static Json schema() { return schema::duration(); }
};

/// Written as the word of its value. Its schema is a component with the name of the type.
template <Worded Enum>
struct Form<Enum> {
    static Json write(Enum value) { return word_of(value); }
    static void read(const Json& shape, Enum& value) {
        const auto parsed = parse_word<Enum>(shape.get<std::string>());
        if (!parsed) misfit("word of this member", shape);
        value = *parsed;
    }
    static Json schema() { return schema::ref(std::string(name_of_type<Enum>())); }
    static std::vector<std::string> words() {
        auto words = all_words<Enum>();
        std::erase(words, "");  // the word for null
        return words;
    }
};

template <typename Value>
struct Form<std::optional<Value>> {
    static Json write(const std::optional<Value>& value) { return value ? Form<Value>::write(*value) : Json(); }
    static void read(const Json& shape, std::optional<Value>& value) {
        if (!shape.is_null()) Form<Value>::read(shape, value.emplace());
    }
    static Json schema() { return schema::nullable(Form<Value>::schema()); }
};
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
struct Form<std::map<std::string, Value>> : PlainForm<std::map<std::string, Value>> {
    static Json schema() { return schema::map(Form<Value>::schema()); }
};

// ---- Members that deviate from the form of their type ------------------------------------------------------------

/// Uses the form of its type.
struct AsItIs {
    template <typename Value>
    static Json write(const Value& value, const Value& /*standard*/) {
        return Form<Value>::write(value);
    }
    template <typename Value>
    static void read(const Json& shape, Value& value) {
        Form<Value>::read(shape, value);
    }
    template <typename Value>
    static Json schema() {
        return Form<Value>::schema();
    }
};

/// Null when the value equals that of a default record: an empty text, the nil id, no lease.
struct OrNull {
    template <typename Value>
    static Json write(const Value& value, const Value& standard) {
        return value == standard ? Json() : Form<Value>::write(value);
    }
    template <typename Value>
    static void read(const Json& shape, Value& value) {
        if (!shape.is_null()) Form<Value>::read(shape, value);
    }
    template <typename Value>
    static Json schema() {
        return schema::nullable(Form<Value>::schema());
    }
};
inline constexpr OrNull or_null;

/// A text that holds JSON, inserted into the object as a value; null when it is empty. `Content` is the type of that
/// value, when known.
template <typename Content = nlohmann::json>
struct JsonText {
    template <typename Value>
    static Json write(const Value& value, const Value& /*standard*/) {
        return embedded(value);
    }
    template <typename Value>
    static void read(const Json& shape, Value& value) {
        if (!shape.is_null()) value = dump(shape);
    }
    template <typename Value>
    static Json schema() {
        return schema::nullable(Form<Content>::schema());
    }
};
inline constexpr JsonText<> json_text;
/// Counts by name.
inline constexpr JsonText<std::map<std::string, std::int64_t>> json_counts;

/// A text whose value is always a word of an enumeration.
template <Worded Enum>
struct TextOfWord : AsItIs {
    template <typename Value>
    static Json schema() {
        return Form<Enum>::schema();
    }
};

/// A duration as a number of seconds.
struct Seconds {
    static Json write(Duration length, Duration /*standard*/) {
        return std::chrono::duration<double>(length).count();
    }
    static Json write(const std::optional<Duration>& length, const std::optional<Duration>& /*standard*/) {
        return length ? write(*length, {}) : Json();
    }
    static void read(const Json& shape, Duration& length) {
        length = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(shape.get<double>()));
    }
    static void read(const Json& shape, std::optional<Duration>& length) {
        if (!shape.is_null()) read(shape, length.emplace());
    }
    template <typename Value>
    static Json schema() {
        return std::is_same_v<Value, Duration> ? schema::number() : schema::nullable(schema::number());
    }
};
inline constexpr Seconds seconds;

// ---- Rows of a table ----------------------------------------------------------------------------------------------

template <auto first, auto... rest, typename Record>
constexpr auto& at_path(Record& record) {
    if constexpr (sizeof...(rest) == 0)
        return record.*first;
    else
        return at_path<rest...>(record.*first);
}

template <typename As, auto... path>
struct PathMember {
    std::string_view name, meaning;

    template <typename Record>
    using Value = std::remove_cvref_t<decltype(at_path<path...>(std::declval<Record&>()))>;

    template <typename Record>
    static Json write(const Record& record) {
        static const Record fresh{};
        return As::write(at_path<path...>(record), at_path<path...>(fresh));
    }
    template <typename Record>
    static void read(const Json& shape, Record& record) {
        As::read(shape, at_path<path...>(record));
    }
    template <typename Record>
    constexpr operator Member<Record>() const {  // NOLINT(google-explicit-constructor): a row of the record's table
        return {name, meaning, write<Record>, read<Record>, As::template schema<Value<Record>>};
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

template <auto... path>
struct AllMembers {
    template <typename Record>
    using Part = std::remove_cvref_t<decltype(at_path<path...>(std::declval<Record&>()))>;

    template <typename Record>
    constexpr operator Member<Record>() const {  // NOLINT(google-explicit-constructor): a row of the record's table
        return {{},
                {},
                [](const Record& record) { return to_json_shape(at_path<path...>(record)); },
                [](const Json& shape, Record& record) {
                    at_path<path...>(record) = from_json_shape<Part<Record>>(shape);
                },
                object_schema<Part<Record>>};
    }
};
/// Inserts all members of the record that the pointers lead to.
template <auto... path>
constexpr AllMembers<path...> members_of() {
    return {};
}

template <typename Base>
struct BaseMembers {
    template <typename Record>
    constexpr operator Member<Record>() const {  // NOLINT(google-explicit-constructor): a row of the record's table
        return {{},
                {},
                [](const Record& record) { return to_json_shape<Base>(record); },
                [](const Json& shape, Record& record) { static_cast<Base&>(record) = from_json_shape<Base>(shape); },
                object_schema<Base>};
    }
};
/// Inserts all members of the record's base.
template <typename Base>
constexpr BaseMembers<Base> members_of_base() {
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
