#pragma once

#include "store/store.h"
#include "views/members.h"

namespace holdfast::views {

Table<store::QueueRecord> table(Of<store::QueueRecord>);
Table<store::KeyRecord> table(Of<store::KeyRecord>);

}  // namespace holdfast::views
