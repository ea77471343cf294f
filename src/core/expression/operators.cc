#include "core/expression/operators.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "base/text.h"
#include "core/expression/expression.h"

namespace holdfast::core::expression {

namespace {

using nlohmann::json;

constexpr std::uint64_t beyond_int64 = std::uint64_t{1} << 63;

// ---- Comparison --------------------------------------------------------------------------------------------------

/// Holds every 64-bit integer and every double exactly on the supported platforms (64 bits of mantissa or more).
using Exact = long double;
static_assert(std::numeric_limits<Exact>::digits >= 64);

Exact exact(const json& number) {
    if (number.is_number_unsigned()) return static_cast<Exact>(number.get<std::uint64_t>());
    if (number.is_number_integer()) return static_cast<Exact>(number.get<std::int64_t>());
    return static_cast<Exact>(number.get<double>());
}

bool equal_lists(const json& left, const json& right) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), equal);
}

bool equal_objects(const json& left, const json& right) {
    if (left.size() != right.size()) return false;
    return std::all_of(left.items().begin(), left.items().end(), [&](const auto& member) {
        const auto other = right.find(member.key());
        return other != right.end() && equal(member.value(), *other);
    });
}

template <typename Value>
bool holds(Operator op, const Value& left, const Value& right) {
    if (op == Operator::Less) return left < right;
    if (op == Operator::LessOrEqual) return left <= right;
    if (op == Operator::Greater) return left > right;
    return left >= right;
}

Answer ordered(Operator op, const json& left, const json& right) {
    if (left.is_number() && right.is_number()) return json(holds(op, exact(left), exact(right)));
    if (left.is_string() && right.is_string())
        return json(holds(op, left.get_ref<const std::string&>(), right.get_ref<const std::string&>()));
    return Failure{
        concat(word_of(op), " compares two numbers or two texts, not ", kind_of(left), " with ", kind_of(right))};
}

// ---- Arithmetic --------------------------------------------------------------------------------------------------

Failure<std::string> overflow() {
    return Failure<std::string>{"the result is too large for a whole number of 64 bits"};
}

Failure<std::string> division_by_zero() {
    return Failure<std::string>{"division by zero"};
}

std::optional<std::int64_t> integer_in(const json& value) {
    if (value.is_number_unsigned() && value.get<std::uint64_t>() >= beyond_int64) return std::nullopt;
    return value.get<std::int64_t>();
}

Answer divided(Operator op, std::int64_t left, std::int64_t right) {
    if (right == 0) return division_by_zero();
    if (op == Operator::Remainder) return json(right == -1 ? 0 : left % right);  // INT64_MIN % -1 traps in hardware
    if (left == std::numeric_limits<std::int64_t>::min() && right == -1) return overflow();
    return json(left / right);
}

Answer whole_arithmetic(Operator op, std::int64_t left, std::int64_t right) {
    std::int64_t result = 0;
    bool overflows = false;
    if (op == Operator::Add)
        overflows = __builtin_add_overflow(left, right, &result);
    else if (op == Operator::Subtract)
        overflows = __builtin_sub_overflow(left, right, &result);
    else if (op == Operator::Multiply)
        overflows = __builtin_mul_overflow(left, right, &result);
    else
        return divided(op, left, right);
    if (overflows) return overflow();
    return json(result);
}

double real_result(Operator op, double left, double right) {
    if (op == Operator::Add) return left + right;
    if (op == Operator::Subtract) return left - right;
    if (op == Operator::Multiply) return left * right;
    if (op == Operator::Divide) return left / right;
    return std::fmod(left, right);
}

Answer real_arithmetic(Operator op, double left, double right) {
    if (right == 0 && (op == Operator::Divide || op == Operator::Remainder)) return division_by_zero();
    const double result = real_result(op, left, right);
    if (!std::isfinite(result)) return Failure<std::string>{"the result is too large for a number"};
    return json(result);
}

Answer arithmetic(Operator op, const json& left, const json& right) {
    if (left.is_number_float() || right.is_number_float())
        return real_arithmetic(op, left.get<double>(), right.get<double>());
    const auto left_integer = integer_in(left);
    const auto right_integer = integer_in(right);
    if (!left_integer || !right_integer) return overflow();
    return whole_arithmetic(op, *left_integer, *right_integer);
}

Answer joined(json left, const json& right) {
    auto& text = left.get_ref<std::string&>();
    const auto& more = right.get_ref<const std::string&>();
    if (text.size() + more.size() > ExpressionLimits::max_value_bytes) return Failure{too_large()};
    text += more;
    return left;
}

std::string arithmetic_complaint(Operator op, const json& left, const json& right) {
    const std::string_view wanted = op == Operator::Add ? " needs two numbers or two texts" : " needs two numbers";
    const bool has_text = op == Operator::Add && (left.is_string() || right.is_string());
    return concat(word_of(op), wanted, ", not ", kind_of(left), " and ", kind_of(right),
                  has_text ? "; json(...) makes a text of anything" : "");
}

// ---- Functions ---------------------------------------------------------------------------------------------------

using Arguments = std::vector<json>;

std::size_t character_count(const std::string& text) {
    const auto begins_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

Answer call_len(const Arguments& arguments) {
    const json& value = arguments[0];
    if (value.is_string()) return json(character_count(value.get_ref<const std::string&>()));
    if (value.is_structured()) return json(value.size());
    return Failure{concat("len needs a text, a list or an object, not ", kind_of(value))};
}

Answer call_contains(const Arguments& arguments) {
    const json& whole = arguments[0];
    const json& part = arguments[1];
    if (whole.is_array())
        return json(std::any_of(whole.begin(), whole.end(), [&](const json& member) { return equal(member, part); }));
    if (!whole.is_string() && !whole.is_object())
        return Failure{concat("contains needs a text, a list or an object to look in, not ", kind_of(whole))};
    if (!part.is_string())
        return Failure{concat("contains looks for a text in ", kind_of(whole), ", not for ", kind_of(part))};
    const auto& text = part.get_ref<const std::string&>();
    if (whole.is_object()) return json(whole.contains(text));
    return json(whole.get_ref<const std::string&>().find(text) != std::string::npos);
}

Answer call_json(const Arguments& arguments) {
    return json(arguments[0].dump(-1, ' ', false, json::error_handler_t::replace));
}

Answer call_join(const Arguments& arguments) {
    const json& list = arguments[0];
    const json& separator = arguments[1];
    if (!list.is_array()) return Failure{concat("join needs a list, not ", kind_of(list))};
    if (!separator.is_string())
        return Failure{concat("join needs a text to put between the members, not ", kind_of(separator))};
    std::string joined;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (i > 0) joined += separator.get_ref<const std::string&>();
        joined += text_of(list[i]);
        if (joined.size() > ExpressionLimits::max_value_bytes) return Failure{too_large()};
    }
    return json(std::move(joined));
}

constexpr std::array<Function, 4> functions = {{
    {"len", 1, "len(VALUE)", call_len},
    {"contains", 2, "contains(WHOLE, PART)", call_contains},
    {"json", 1, "json(VALUE)", call_json},
    {"join", 2, "join(LIST, SEPARATOR)", call_join},
}};

// ---- Size --------------------------------------------------------------------------------------------------------

constexpr std::size_t scalar_bytes = 8;
constexpr std::size_t brackets_bytes = 2;

/// Adds up sizes until a limit is exceeded.
struct Measuring {
    void add(const json& value, std::size_t depth) {
        too_deep = too_deep || depth > ExpressionLimits::max_value_nesting;
        if (exceeded()) return;
        if (value.is_string())
            bytes += value.get_ref<const std::string&>().size();
        else if (value.is_structured())
            add_members(value, depth + 1);
        else
            bytes += scalar_bytes;
    }

    void add_members(const json& value, std::size_t depth) {
        bytes += brackets_bytes;
        for (auto member = value.begin(); member != value.end() && !exceeded(); ++member) {
            if (value.is_object()) bytes += member.key().size();
            add(*member, depth);
        }
    }

    [[nodiscard]] bool exceeded() const { return too_deep || bytes > ExpressionLimits::max_value_bytes; }

    std::size_t bytes = 0;
    bool too_deep = false;
};

Measuring measured(const json& value) {
    Measuring measuring;
    measuring.add(value, 0);
    return measuring;
}

}  // namespace

std::string_view kind_of(const json& value) {
    if (value.is_string()) return "a text";
    if (value.is_number()) return "a number";
    if (value.is_boolean()) return "a boolean";
    if (value.is_array()) return "a list";
    if (value.is_object()) return "an object";
    return "null";
}

std::string text_of(const json& value) {
    if (value.is_string()) return value.get<std::string>();
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

bool equal(const json& left, const json& right) {
    // The JSON library would compare 2^64 - 1 as -1, and would round a large integer before comparing it with a real.
    if (left.is_number() && right.is_number()) return exact(left) == exact(right);
    if (left.is_array() && right.is_array()) return equal_lists(left, right);
    if (left.is_object() && right.is_object()) return equal_objects(left, right);
    return left == right;
}

Answer apply(Operator op, json left, const json& right) {
    if (op == Operator::Equal) return json(equal(left, right));
    if (op == Operator::NotEqual) return json(!equal(left, right));
    if (op < Operator::Add) return ordered(op, left, right);
    if (op == Operator::Add && left.is_string() && right.is_string()) return joined(std::move(left), right);
    if (left.is_number() && right.is_number()) return arithmetic(op, left, right);
    return Failure{arithmetic_complaint(op, left, right)};
}

Answer negated(const json& value) {
    if (!value.is_number()) return Failure{concat("- needs a number, not ", kind_of(value))};
    if (value.is_number_float()) return json(-value.get<double>());
    // INT64_MIN is the only integer that the author has to write as the negative of a larger one.
    if (value.is_number_unsigned() && value.get<std::uint64_t>() == beyond_int64)
        return json(std::numeric_limits<std::int64_t>::min());
    return arithmetic(Operator::Subtract, json(0), value);
}

std::size_t size_of(const json& value) {
    return measured(value).bytes;
}

std::optional<std::string> size_defect(const json& value) {
    const Measuring measuring = measured(value);
    if (measuring.too_deep)
        return concat("the value is nested deeper than ", ExpressionLimits::max_value_nesting, " levels");
    if (measuring.exceeded()) return too_large();
    return std::nullopt;
}

std::string too_large() {
    return concat("the value is larger than ", ExpressionLimits::max_value_bytes >> 20, " MiB");
}

const Function* find_function(std::string_view name) {
    const auto* const found = std::find_if(functions.begin(), functions.end(),
                                           [&](const Function& function) { return function.name == name; });
    return found == functions.end() ? nullptr : found;
}

}  // namespace holdfast::core::expression
