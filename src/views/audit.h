#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/server_store.h"
#include "views/members.h"

namespace holdfast::views {

/// A line of the audit: an order of a person or an application.
struct AuditLine {
    std::int64_t id = 0;
    Timestamp at = {};
    std::string who = {};
    std::string from = {};  ///< as of core::Origin
    std::string kind = {};
    std::string message = {};
    std::string queue = {};  ///< empty: it concerns no queue, or several
    Uuid task = {}, job = {}, worker = {};
    std::string before = {}, after = {};  ///< JSON texts; empty: nothing to compare
};
[[nodiscard]] AuditLine audit_line(const store::EventRecord& order);

/// The lines wanted: those that agree with every member that is not empty.
struct AuditFilter {
    std::string who = {};   ///< part of who or from where, in any letter case
    std::string kind = {};  ///< "queue_paused", ...
    std::string queue = {};
    std::string text = {};  ///< part of the message or the values, in any letter case
    std::optional<Uuid> task = {}, job = {}, worker = {};
    std::optional<Timestamp> since = {}, until = {};  ///< [since, until)

    [[nodiscard]] bool passes(const store::EventRecord& order) const;
};

/// An order that the store itself does not record, to be appended to its events. `after`: what it did.
[[nodiscard]] store::EventRecord order_event(std::string kind, std::string who, std::string message,
                                             const Json& after, const Uuid& task = {});

struct AuditPage {
    std::vector<AuditLine> lines = {};  ///< newest first
    /// Where to go on: the number of the last line that was looked at; nullopt: there are no more.
    std::optional<std::int64_t> next = {};
};

/// Searches the audit below the line `before`. Looks at no more than `most_audit_lines` lines, so it may return fewer
/// than `limit` lines, or none, although there are more: `next` says so.
[[nodiscard]] AuditPage search_audit(store::ServerStore& store, const AuditFilter& filter,
                                     std::optional<std::int64_t> before, std::size_t limit);
inline constexpr std::size_t most_audit_lines = 20'000;

Table<AuditLine> table(Of<AuditLine>);

}  // namespace holdfast::views
