#pragma once

#include <string>
#include <vector>

#include "server/http/message.h"
#include "views/members.h"

namespace holdfast::api {

using views::Json;

[[nodiscard]] http::Response answer(const Json& body, int status = 200);

/// {"items": [...], "next": CURSOR | null}
[[nodiscard]] Json list_of(Json items, Json next = nullptr);

/// JSON text of any value: what is not UTF-8 in it is made readable.
[[nodiscard]] std::string to_text(const Json& value);

}  // namespace holdfast::api
