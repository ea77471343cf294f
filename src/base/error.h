#pragma once

// The one hierarchy of failures is public, because applications catch what the store throws.
#include "holdfast/errors.h"
