#include "views/audit.h"

#include "base/text.h"
#include "core/origin.h"

namespace holdfast::views {

namespace {

constexpr std::size_t lines_at_once = 1000;

bool contains(const std::string& text, const std::string& part) {
    return lower_case(text).find(lower_case(part)) != std::string::npos;
}

std::string text_of_member(const Json& data, const char* name) {
    return data.is_object() && data.contains(name) && !data.at(name).is_null() ? dump(data.at(name)) : "";
}

}  // namespace

AuditLine audit_line(const store::EventRecord& order) {
    const Json data = value_of(order.data);
    core::Origin origin = core::origin_of(order.who);
    return {.id = order.id,
            .at = order.at,
            .who = std::move(origin.name),
            .from = std::move(origin.from),
            .kind = order.kind,
            .message = order.message,
            .queue = order.queue,
            .task = order.task,
            .job = order.job,
            .worker = order.worker,
            .before = text_of_member(data, "before"),
            .after = text_of_member(data, "after")};
}

store::EventRecord order_event(std::string kind, std::string who, std::string message, const Json& after,
                               const Uuid& task) {
    return {.kind = std::move(kind),
            .task = task,
            .who = std::move(who),
            .message = std::move(message),
            .data = dump({{"before", nullptr}, {"after", after}}),
            .is_order = true};
}

bool AuditFilter::passes(const store::EventRecord& order) const {
    return (who.empty() || contains(order.who, who)) && (kind.empty() || order.kind == kind) &&
           (queue.empty() || order.queue == queue) && (!task || order.task == *task) && (!job || order.job == *job) &&
           (!worker || order.worker == *worker) && (!since || order.at >= *since) && (!until || order.at < *until) &&
           (text.empty() || contains(order.message, text) || contains(order.data, text));
}

AuditPage search_audit(store::ServerStore& store, const AuditFilter& filter, std::optional<std::int64_t> before,
                       std::size_t limit) {
    AuditPage found;
    for (std::size_t looked_at = 0; looked_at < most_audit_lines; looked_at += lines_at_once) {
        const auto orders = store.orders({.before = before, .limit = lines_at_once, .queues = {}});
        for (const auto& order : orders) {
            if (found.lines.size() == limit) {
                found.next = before;
                return found;
            }
            before = order.id;
            if (filter.passes(order)) found.lines.push_back(audit_line(order));
        }
        if (orders.size() < lines_at_once) return found;
    }
    found.next = before;
    return found;
}

Table<AuditLine> table(Of<AuditLine>) {
    using Line = AuditLine;
    static constexpr Member<Line> members[] = {
        member<&Line::id>("id"),
        member<&Line::at>("at"),
        member<&Line::who>("who", "the name of a token, a user, or an application"),
        member<&Line::from>("from", or_null, "an address, or the machine and user of a command"),
        member<&Line::kind>("kind", "the order"),
        member<&Line::message>("message"),
        member<&Line::queue>("queue", or_null),
        member<&Line::task>("task", or_null),
        member<&Line::job>("job", or_null),
        member<&Line::worker>("worker", or_null),
        member<&Line::before>("before", json_text, "the values that the order changed"),
        member<&Line::after>("after", json_text, "the same, afterwards"),
    };
    return {"AuditLine", members};
}

}  // namespace holdfast::views
