#pragma once

#include "config/config.h"
#include "store/store.h"
#include "views/members.h"

namespace holdfast::views {

// The configuration and its errors, and the findings of a check of the store.

Table<config::Setting> table(Of<config::Setting>);
Table<config::ConfigError> table(Of<config::ConfigError>);
Table<store::Finding> table(Of<store::Finding>);

}  // namespace holdfast::views
