#pragma once

#include "views/job.h"
#include "views/queue.h"
#include "views/settings.h"

namespace holdfast::cli {

// What --json prints are the objects of the API, beside a few of the commands' own.
using views::array_of;
using views::embedded;
using views::Json;
using views::to_json_shape;

}  // namespace holdfast::cli
