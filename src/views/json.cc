#include "views/json.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/text.h"
#include "core/json_text.h"

namespace holdfast::views {

namespace {

std::string plain_text(const Json& value) {
    return value.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

/// JSON text that the library cannot represent exactly, stored as a binary value; this is the only use of those.
Json as_written(std::string_view text) {
    return Json::binary({text.begin(), text.end()});
}

void write(const Json& value, std::string& text);

template <typename Write>
void write_all(const Json& parts, char begin, char end, std::string& text, const Write& write_one) {
    text += begin;
    bool is_first = true;
    for (auto part = parts.begin(); part != parts.end(); ++part) {
        if (!std::exchange(is_first, false)) text += ',';
        write_one(part);
    }
    text += end;
}

void write(const Json& value, std::string& text) {
    if (value.is_binary()) {
        text.append(value.get_binary().begin(), value.get_binary().end());
    } else if (value.is_array()) {
        write_all(value, '[', ']', text, [&](const auto& part) { write(*part, text); });
    } else if (value.is_object()) {
        write_all(value, '{', '}', text, [&](const auto& part) {
            text += plain_text(part.key());
            text += ':';
            write(part.value(), text);
        });
    } else {
        text += plain_text(value);
    }
}

/// Builds values as Json::parse does, except for numbers that a double would change.
class ExactReader : public nlohmann::detail::json_sax_dom_parser<Json> {
public:
    explicit ExactReader(Json& value) : json_sax_dom_parser(value, /*allow_exceptions_=*/false) {}

    bool number_float(double value, const std::string& written) {
        if (core::canonical_number(plain_text(value)) == core::canonical_number(written))
            return json_sax_dom_parser::number_float(value, written);
        Json::binary_t bytes(Json::binary_t::container_type(written.begin(), written.end()));
        return binary(bytes);
    }
};

}  // namespace

Json embedded(const std::string& text) {
    if (text.empty()) return {};
    Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (value.is_discarded()) return text;
    return plain_text(value) == text ? value : as_written(text);
}

std::string dump(const Json& value) {
    std::string text;
    write(value, text);
    return text;
}

std::string dump_line(const Json& value) {
    std::string text = dump(value);
    std::ranges::replace_if(
        text, [](char c) { return c == '\n' || c == '\r'; }, ' ');  // line breaks occur only between values
    return text;
}

Json value_of(const std::string& text) {
    Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    return value.is_discarded() ? Json() : value;
}

Json parse_exactly(std::string_view text) {
    Json value;
    ExactReader reader(value);
    return Json::sax_parse(text, &reader) ? value : Json(Json::value_t::discarded);
}

void misfit(std::string_view what, const Json& found) {
    throw std::invalid_argument(concat(found.dump(), " is not a ", what));
}

}  // namespace holdfast::views
