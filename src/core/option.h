#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/words.h"
#include "holdfast/result.h"
#include "holdfast/time.h"

namespace holdfast::core {

/// A value of an option. monostate is null.
using OptionValue = std::variant<std::monostate, bool, std::int64_t, double, Duration, std::string,
                                 std::vector<std::string>, std::vector<Duration>, std::map<std::string, std::string>>;

enum class OptionType {
    Boolean,
    Count,   ///< a whole number
    Number,  ///< with at most two decimals in its range
    Size,    ///< bytes
    Duration,
    DurationList,
    Choice,    ///< one of a few words
    Name,      ///< a short text
    NameList,  ///< several, all different
    Text,      ///< of any length
    TextList,
    TextMap,  ///< names with texts
    StoreUrl,
};

/// From the least to the most that a value may be: of Count, Size; of Number in hundredths; of each duration in
/// microseconds; of the other lists and maps how many members.
struct Range {
    constexpr Range() = default;
    constexpr Range(std::int64_t low, std::int64_t high) : least(low), most(high) {}
    constexpr Range(Duration low, Duration high) : least(low.count()), most(high.count()) {}

    std::int64_t least = 0;
    std::int64_t most = 0;
};

/// One value that people can set: an option of a task, a key of a definition in the file, a setting. What reads,
/// checks, shows and documents the value follows from it.
struct Option {
    std::string_view name;
    OptionType type = OptionType::Text;
    Range range = {};
    std::string_view example = {};        ///< as written in the file
    std::string_view meaning = {};        ///< a sentence
    std::string fallback = {};            ///< the default, as written in an environment variable; empty: none
    std::vector<std::string> words = {};  ///< of Choice
    std::string_view internal_word = {};  ///< one of these that only programs use
    std::string_view form = {};           ///< what may stand there, for a value that no type describes
    bool nullable = false;
};

/// The words of a Choice that people may use.
[[nodiscard]] std::vector<std::string> offered_words(const Option& option);

/// "1m30s", "fail", "0.5": as people write the value; members of a list with commas between them; empty: none.
[[nodiscard]] std::string plain_text(const OptionValue& value);

/// "1 to 100", "1ms to 7d": the range of a number, size or duration.
[[nodiscard]] std::string range_text(const Option& option);

/// Why the value is not within the range, as a sentence that begins with `name`; empty: it is.
[[nodiscard]] std::string range_defect(const Option& option, std::string_view name, const OptionValue& value);

// ---- In the JSON texts of a store ---------------------------------------------------------------------------------

/// "timeout_ms", "memory_bytes": its name, with the unit of the number that is stored.
[[nodiscard]] std::string stored_name(const Option& option);
[[nodiscard]] nlohmann::json stored_json(const OptionValue& value);
/// Reads what stored_json made. The error is a sentence that begins with the stored name and says what is allowed.
[[nodiscard]] Result<OptionValue, std::string> read_stored(const Option& option, const nlohmann::json& value);

// ---- The member that the value belongs to -------------------------------------------------------------------------

/// An option of a Target, and how its value gets there and back.
template <typename Target>
struct OptionOf : Option {
    void (*set)(Target& target, const OptionValue& value) = nullptr;  ///< nullptr: it is left to its reader
    OptionValue (*get)(const Target& target) = nullptr;
};

template <typename Type>
inline constexpr bool is_optional = false;
template <typename Type>
inline constexpr bool is_optional<std::optional<Type>> = true;

template <typename Type>
[[nodiscard]] Type from_value(const OptionValue& value) {
    if constexpr (is_optional<Type>) {
        if (std::holds_alternative<std::monostate>(value)) return std::nullopt;
        return from_value<typename Type::value_type>(value);
    } else if constexpr (Worded<Type>) {
        return parse_word<Type>(std::get<std::string>(value)).value();
    } else if constexpr (std::is_integral_v<Type> && !std::is_same_v<Type, bool>) {
        return static_cast<Type>(std::get<std::int64_t>(value));
    } else {
        return std::get<Type>(value);
    }
}

template <typename Type>
[[nodiscard]] OptionValue to_value(const Type& held) {
    if constexpr (is_optional<Type>) {
        return held ? to_value(*held) : OptionValue();
    } else if constexpr (Worded<Type>) {
        return std::string(word_of(held));
    } else if constexpr (std::is_integral_v<Type> && !std::is_same_v<Type, bool>) {
        return static_cast<std::int64_t>(held);
    } else {
        return held;
    }
}

/// Sets the member at the end of a path of pointers to members. An optional structure on the way comes into being.
template <auto First, auto... Rest>
void set_at(auto& object, const OptionValue& value) {
    using Object = std::remove_cvref_t<decltype(object)>;
    if constexpr (is_optional<Object>)
        set_at<First, Rest...>(object ? *object : object.emplace(), value);
    else if constexpr (sizeof...(Rest) > 0)
        set_at<Rest...>(object.*First, value);
    else
        object.*First = from_value<std::remove_cvref_t<decltype(object.*First)>>(value);
}

/// The member at the end of the path. An optional structure on the way that is missing has its defaults.
template <auto First, auto... Rest>
[[nodiscard]] OptionValue get_at(const auto& object) {
    using Object = std::remove_cvref_t<decltype(object)>;
    if constexpr (is_optional<Object>)
        return get_at<First, Rest...>(object ? *object : typename Object::value_type{});
    else if constexpr (sizeof...(Rest) > 0)
        return get_at<Rest...>(object.*First);
    else
        return to_value(object.*First);
}

template <typename Class, typename Member>
Member type_of_member(Member Class::*);
template <typename Class, typename Member>
Class class_of_member(Member Class::*);

template <auto First, auto... Rest>
consteval auto last_of() {
    if constexpr (sizeof...(Rest) > 0)
        return last_of<Rest...>();
    else
        return First;
}

/// The words of a member that is an enumeration, or may be one; otherwise none.
template <typename Type>
[[nodiscard]] std::vector<std::string> words_for() {
    if constexpr (is_optional<Type>)
        return words_for<typename Type::value_type>();
    else if constexpr (Worded<Type>)
        return all_words<Type>();
    else
        return {};
}

/// Makes the option whose value is the member of a Target at the end of the path. Its default is that of a fresh
/// Target, where that is a value of the option.
template <typename Target, auto... Path>
struct OptionAt {
    using Member = decltype(type_of_member(last_of<Path...>()));

    [[nodiscard]] OptionOf<Target> operator()(std::string_view name, OptionType type, Range range,
                                              std::string_view example, std::string_view meaning) const {
        OptionOf<Target> option{{name, type, range, example, meaning}, set_at<Path...>, get_at<Path...>};
        option.words = words_for<Member>();
        const OptionValue standard = option.get(Target{});
        if (range_defect(option, name, standard).empty()) option.fallback = plain_text(standard);
        return option;
    }
};

/// The option of that name; nullptr: there is none.
template <typename Options>
[[nodiscard]] auto find_option(const Options& options, std::string_view name) -> decltype(&*options.begin()) {
    for (const auto& option : options)
        if (option.name == name) return &option;
    return nullptr;
}

template <typename Options>
[[nodiscard]] std::vector<std::string> names_of(const Options& options) {
    std::vector<std::string> names;
    for (const Option& option : options) names.emplace_back(option.name);
    return names;
}

}  // namespace holdfast::core
