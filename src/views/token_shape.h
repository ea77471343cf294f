#pragma once

#include "store/server_store.h"
#include "views/shapes.h"

namespace holdfast::views {

/// A token as people may see it: never its secret, nor the hash of that.
[[nodiscard]] Json to_json_shape(const store::TokenRecord& record);

}  // namespace holdfast::views
