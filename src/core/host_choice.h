#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/incarnation.h"
#include "holdfast/time.h"

namespace holdfast::core {

/// What one database host of a store's URL answered.
struct HostAnswer {
    std::string host;              ///< for people
    bool accepts_writes = false;   ///< not a standby, and not set to read-only
    std::int64_t timeline = 0;     ///< of the server: a promotion adds one; 0: unknown
    Incarnation incarnation = {};  ///< of the history it has; rank 0, nil nonce: unknown
};

/// The host to use. At most one member is set; neither: no host accepts writes.
struct HostChoice {
    std::optional<std::size_t> chosen;  ///< the index of an answer
    std::string refusal;                ///< why a person must decide first
};

/// Chooses among the hosts that accept writes: the highest rank wins. Among equal ranks the history with
/// `known_nonce` wins, which is the one that this process used last (nil: none). Two different histories of one rank,
/// neither of them known, are refused. Of hosts with the same history, the one with the highest timeline was promoted
/// last and wins; then the first.
[[nodiscard]] HostChoice choose_host(const std::vector<HostAnswer>& answers, const Uuid& known_nonce);

/// The history that this process used last, and where.
struct LastUse {
    Incarnation incarnation = {};          ///< rank 0: none yet
    std::int64_t timeline = 0;             ///< of the server; 0: unknown
    std::optional<std::size_t> host = {};  ///< its place in the URL
};

/// Whether the host was promoted after the one that this process used last, which is not the primary any more then.
[[nodiscard]] bool is_newer(const HostAnswer& answer, const LastUse& last);

/// How long to wait after this many failed attempts to connect in a row, before the next: 100 ms doubling to 1 s,
/// each shortened by up to a quarter by `random` bits, so that many processes do not come back at the same moment,
/// but never below 100 ms. Zero after none.
[[nodiscard]] Duration pause_before_connect(int failures, std::uint64_t random);

}  // namespace holdfast::core
