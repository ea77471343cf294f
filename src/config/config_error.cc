#include "config/config_error.h"

#include "base/text.h"

namespace holdfast::config {

namespace {

std::string place(const Origin& where) {
    if (where.kind == OriginKind::File && where.position.line > 0)
        return concat(to_text(where), ':', where.position.column);
    return to_text(where);
}

}  // namespace

std::string to_text(const Origin& origin) {
    switch (origin.kind) {
        case OriginKind::Default:
            return "default";
        case OriginKind::File:
            return origin.position.line == 0 ? origin.name : concat(origin.name, ':', origin.position.line);
        case OriginKind::Environment:
            return concat("env ", origin.name);
        case OriginKind::Flag:
            return concat("flag ", origin.name);
    }
    return "";
}

std::string to_text(const ConfigError& error) {
    std::string text = concat(place(error.where), ": ");
    if (!error.key.empty()) text += concat(error.key, ": ");
    text += error.title;
    if (!error.found.empty()) text += concat(": found ", error.found);
    if (!error.allowed.empty()) text += concat("; allowed: ", error.allowed);
    if (!error.suggestion.empty()) text += concat("; ", error.suggestion);
    return text;
}

}  // namespace holdfast::config
