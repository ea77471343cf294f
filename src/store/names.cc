#include "base/assert.h"
#include "store/task_records.h"
#include "store/worker_records.h"

namespace holdfast {

std::string_view to_text(WaitReason reason) {
    switch (reason) {
        case WaitReason::None:
            return "";
        case WaitReason::Future:
            return "future";
        case WaitReason::Key:
            return "key";
        case WaitReason::Overdue:
            return "overdue";
        case WaitReason::Job:
            return "job";
    }
    HOLDFAST_ASSERT(false);
}

}  // namespace holdfast

namespace holdfast::store {

std::string_view to_text(WorkerStatus status) {
    switch (status) {
        case WorkerStatus::Active:
            return "active";
        case WorkerStatus::Draining:
            return "draining";
        case WorkerStatus::Inactive:
            return "inactive";
    }
    HOLDFAST_ASSERT(false);
}

}  // namespace holdfast::store
