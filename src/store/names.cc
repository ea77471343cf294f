#include "base/assert.h"
#include "store/server_store.h"
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

std::string_view to_text(Scope scope) {
    switch (scope) {
        case Scope::Read:
            return "read";
        case Scope::Submit:
            return "submit";
        case Scope::Operate:
            return "operate";
        case Scope::Admin:
            return "admin";
    }
    HOLDFAST_ASSERT(false);
}

std::optional<Scope> parse_scope(std::string_view text) {
    for (const auto scope : {Scope::Read, Scope::Submit, Scope::Operate, Scope::Admin})
        if (text == to_text(scope)) return scope;
    return std::nullopt;
}

}  // namespace holdfast::store
