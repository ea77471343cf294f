#include "views/token_shape.h"

#include "base/text.h"

namespace holdfast::views {

namespace {

Json moment(const std::optional<Timestamp>& at) {
    return at ? Json(format_timestamp(*at)) : Json();
}

}  // namespace

Json to_json_shape(const store::TokenRecord& record) {
    const store::NewToken& token = record.token;
    return {{"id", token.id.to_string()},
            {"name", token.name},
            {"scope", store::to_text(token.scope)},
            {"queues", token.queues},
            {"created_at", format_timestamp(record.created_at)},
            {"created_by", token.who},
            {"expires_at", moment(token.expires_at)},
            {"revoked_at", moment(record.revoked_at)},
            {"last_used_at", moment(record.last_used_at)},
            {"last_used_from", record.last_used_from.empty() ? Json() : Json(record.last_used_from)}};
}

}  // namespace holdfast::views
