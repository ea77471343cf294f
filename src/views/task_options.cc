#include "views/task_options.h"

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "core/task/task_options.h"
#include "views/members.h"

namespace holdfast::views {

namespace {

using core::OptionType;
using core::OptionValue;
using core::TaskOption;

/// The JSON pointer to an option: "/retry/base".
std::string pointer_to(const TaskOption& option) {
    std::string pointer = concat('/', option.member);
    std::ranges::replace(pointer, '.', '/');
    return pointer;
}

template <typename Value>
Json option_json(const Value& value) {
    if constexpr (std::is_same_v<Value, std::monostate>)
        return nullptr;
    else
        return Form<Value>::write(value);
}

/// A number that exceeds 64 bits is clamped; the range check then refuses it.
std::int64_t count_in(const nlohmann::json& number) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    const bool is_larger = number.is_number_unsigned() && number.get<std::uint64_t>() > std::uint64_t{most};
    return is_larger ? most : number.get<std::int64_t>();
}

OptionValue read_option(const TaskOption& option, const nlohmann::json& value) {
    if (option.type == OptionType::Count) return count_in(value);
    if (option.type == OptionType::Number) return value.get<double>();
    if (option.type == OptionType::Duration) return from_json_shape<Duration>(value);
    if (option.type == OptionType::DurationList) return from_json_shape<std::vector<Duration>>(value);
    if (option.type == OptionType::NameList) return value.get<std::vector<std::string>>();
    return value.get<std::string>();
}

Json schema_of(const TaskOption& option) {
    std::string meaning = core::meaning_with(&TaskOption::member, option);
    const bool is_list = option.type == OptionType::NameList;
    if (option.range.most != 0 && !is_list) meaning += concat(" From ", core::range_text(option), '.');
    if (!option.fallback.empty()) meaning += concat(" Default: ", option.fallback, '.');
    if (option.type == OptionType::Count) return schema::integer(meaning);
    if (option.type == OptionType::Number) return schema::number(meaning);
    if (option.type == OptionType::Duration) return schema::duration(meaning);
    if (option.type == OptionType::DurationList) return schema::array(schema::duration(), meaning);
    if (option.type == OptionType::Choice) return schema::word(core::offered_words(option), meaning);
    return is_list ? schema::array(schema::text(), meaning) : schema::text(meaning);
}

}  // namespace

Json options_shape(const SubmitOptions& options) {
    Json shape = Json::object();
    for (const TaskOption& option : core::task_options())
        if (const OptionValue value = option.get(options); value != OptionValue())
            shape[Json::json_pointer(pointer_to(option))] =
                std::visit([](const auto& held) { return option_json(held); }, value);
    if (!options.concurrency) shape.erase("concurrency");
    return shape;
}

void read_options(const nlohmann::json& item, SubmitOptions& options) {
    for (const TaskOption& option : core::task_options()) {
        const nlohmann::json::json_pointer place(pointer_to(option));
        if (item.contains(place) && !item.at(place).is_null())
            core::override_with(option, option.member, read_option(option, item.at(place)), options);
    }
}

schema::Members option_schemas() {
    schema::Members members;
    std::string group;  // "retry": its members are consecutive
    schema::Members grouped;
    const auto close_group = [&] {
        if (!group.empty()) members.emplace_back(group, schema::form(grouped));
        grouped.clear();
    };
    for (const TaskOption& option : core::task_options()) {
        const std::size_t dot = option.member.find('.');
        const std::string its_group = dot == std::string::npos ? "" : option.member.substr(0, dot);
        if (its_group != group) close_group();
        group = its_group;
        (group.empty() ? members : grouped).emplace_back(option.member.substr(dot + 1), schema_of(option));
    }
    close_group();
    return members;
}

}  // namespace holdfast::views
