#include "server/api/answers.h"

namespace holdfast::api {

std::string to_text(const Json& value) {
    return views::dump(value);
}

http::Response answer(const Json& body, int status) {
    return {.status = status, .body = to_text(body)};
}

Json list_of(Json items, Json next) {
    return {{"items", std::move(items)}, {"next", std::move(next)}};
}

}  // namespace holdfast::api
