#pragma once

#include "wire/shapes.h"

namespace holdfast::cli {

// What --json prints are the objects of the API, beside a few of the commands' own.
using wire::array_of;
using wire::embedded;
using wire::Json;
using wire::to_json_shape;

}  // namespace holdfast::cli
