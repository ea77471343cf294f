#pragma once

#include "views/job.h"
#include "views/queue.h"
#include "views/settings.h"

namespace holdfast::cli {

// The objects that --json prints: those of the API, and a few defined by the commands.
using views::array_of;
using views::embedded;
using views::Json;
using views::to_json_shape;

}  // namespace holdfast::cli
