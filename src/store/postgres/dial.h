#pragma once

#include <libpq-fe.h>
#include <poll.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/host_choice.h"
#include "store/postgres/hosts.h"
#include "store/postgres/patience.h"
#include "store/sql.h"

namespace holdfast::postgres {

using Handle = std::unique_ptr<PGconn, decltype(&PQfinish)>;

struct DialParams {
    const ServerUrl* url = nullptr;
    std::string shown_url;                                      ///< for messages, without its password
    std::vector<std::pair<std::string, std::string>> defaults;  ///< options that the URL may override
    std::vector<std::pair<std::string, std::string>> settings;  ///< options that it may not
    std::vector<std::size_t> hosts;                             ///< the indices of those to ask
    Duration limit{};                                           ///< for each host
    bool asks = false;            ///< which of them accepts writes, also of a single one
    core::LastUse last = {};      ///< what this process used last
    const char* about = nullptr;  ///< a query for the rank and nonce of a host's history; null: nobody asks
};

struct Dialled {
    Handle handle;
    std::size_t host;
    std::int64_t timeline;  ///< 0: unknown
    bool is_newer;          ///< it was promoted after the host that this process used last
};

/// Connects to all hosts at the same time, and finds the one to use; the other connections are closed. Several hosts
/// are given a second to answer, then one of those that did is chosen: also one that was silent lately may be the
/// primary by now. Only the host that this process has left for a newer one is not waited for. Whoever searches waits
/// with poll(2), for other things as well.
class Search {
public:
    explicit Search(DialParams params);
    ~Search();
    Search(const Search&) = delete;
    Search& operator=(const Search&) = delete;

    /// What has to be watched for it, one for each host.
    [[nodiscard]] std::vector<pollfd> sources() const;
    /// By when it wants to go on even if nothing happens.
    [[nodiscard]] Deadline until() const;
    /// Goes on as far as it can without waiting, after what poll(2) has seen at its sources. nullopt: it is too early
    /// to tell. Throws store::Unavailable, or store::Unusable when a retry is pointless until a person has acted.
    [[nodiscard]] std::optional<Dialled> go_on(std::span<const pollfd> seen);

private:
    class Call;

    [[nodiscard]] bool only_the_left_host_is_missing() const;
    [[nodiscard]] Call* choose() const;
    [[nodiscard]] Dialled use(Call& call) const;
    [[noreturn]] void complain() const;

    DialParams params_;
    Deadline others_;
    std::vector<std::unique_ptr<Call>> calls_;
};

/// A search that is waited for.
[[nodiscard]] Dialled dial(DialParams params);

}  // namespace holdfast::postgres
