#pragma once

#include <string>
#include <vector>

#include "server/http/message.h"
#include "views/members.h"

namespace holdfast::api {

using views::Json;

[[nodiscard]] http::Response answer(const Json& body, int status = 200);

/// Returns {"items": [...], "next": CURSOR | null}.
[[nodiscard]] Json list_of(Json items, Json next = nullptr);

/// Returns the JSON text of a value. Bytes that are not UTF-8 are made readable.
[[nodiscard]] std::string to_text(const Json& value);

}  // namespace holdfast::api
