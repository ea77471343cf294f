#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "server/api/answers.h"
#include "server/api/same_site.h"
#include "server/api/secrets.h"
#include "server/api/store_pool.h"
#include "store/token_records.h"

namespace holdfast::api {

/// When a client must present a token.
enum class Login {
    WhenTokensExist,  ///< on loopback: until the first token is created, every client is an admin named `local`
    Always,
    Never,  ///< the operator gave --insecure
};

/// The client of a request, and its permissions.
struct Caller {
    std::string name = {};
    store::Scope scope = store::Scope::Read;
    std::vector<std::string> queues = {};  ///< empty: all queues
    std::string peer = {};
    Credential credential = {};
    Uuid session = {};  ///< nil: it presented a token, or nothing

    /// "alice from 10.0.0.7 (api)"; of the page: "alice from 10.0.0.7 (page)"
    [[nodiscard]] std::string who() const;
    [[nodiscard]] bool may_use_queue(const std::string& queue) const;
    [[nodiscard]] bool has_token() const { return credential.kind != Credential::Kind::None; }
    /// Each throws FORBIDDEN when the caller lacks the permission; its sentence names the required one.
    void require(store::Scope needed, std::string_view what = "this") const;
    void require_queue(const std::string& queue) const;
    void require_all_queues() const;
    /// Whether it may know where the store is.
    [[nodiscard]] bool may_know_store() const { return scope == store::Scope::Admin && queues.empty(); }
};

/// The secret in the cookie of a user who logged in at the page; nullopt: the request has none.
[[nodiscard]] std::optional<std::string> session_cookie(const http::Request& request);

/// Authenticates clients by the tokens and sessions of the store. It caches each for half a second: most requests
/// cost no read of the store, and every server refuses a revoked one within a second. Thread-safe.
class Access {
public:
    Access(Login login, std::vector<std::string> hosts, StorePool& stores)
        : login_(login), hosts_(std::move(hosts)), stores_(stores) {}

    /// Returns the client of the request. Throws NO_TOKEN, BAD_TOKEN or CROSS_SITE, or an exception of the store.
    [[nodiscard]] Caller identify(const http::Request& request);
    /// Returns the client of the request by the last known tokens; nullopt: the token is unknown or invalid, or the
    /// request lacks one and may need it. Never waits for the store: look() keeps the tokens up to date that were
    /// used here lately, and reads those that were missing. Any other one is taken from memory only while the store
    /// does not answer (`store_is_out`). Throws CROSS_SITE and BAD_TOKEN.
    [[nodiscard]] std::optional<Caller> recall(const http::Request& request, bool store_is_out);
    /// Reads the tokens that recall() needs, and whether any exist. Api::look calls it every look_interval.
    void look(store::Store& store);
    /// Returns the client that the secret of a token authenticates, and counts the use; nullopt: it is not valid.
    [[nodiscard]] std::optional<Caller> bearer_of(const std::string& secret, const std::string& peer);
    /// Returns the client of the session whose cookie the request carries; nullopt: it has no valid one.
    [[nodiscard]] std::optional<Caller> session_of(const http::Request& request);
    /// Makes a session for the token of that secret, and returns its client with the secret for the cookie; nullopt:
    /// the token is not valid.
    [[nodiscard]] std::optional<std::pair<Caller, std::string>> log_in(const std::string& token_secret,
                                                                       const std::string& peer, Random& random);
    /// Reads whether the credential is still valid; for none, whether clients without a token are still admitted.
    [[nodiscard]] bool still_valid(store::Store& store, const Credential& credential);
    [[nodiscard]] bool needs_token();

    /// Drops the cached tokens. The handlers call it after they have created or revoked a token.
    void forget();
    /// Throws TOO_MANY_REQUESTS when logins from this address have failed too often.
    void require_login_patience(const std::string& peer);
    void note_failed_login(const std::string& peer);

    /// Which uses of tokens to write to the store. Due: at most twice a minute for each token. All: every new one.
    enum class Uses { Due, All };
    [[nodiscard]] bool has_uses_to_write(Uses which);
    /// Writes to the store when each token and session was last used, and from where. Live calls it periodically and
    /// at the end.
    void write_uses(store::ServerStore& store, Uses which);

private:
    using Moment = std::chrono::steady_clock::time_point;
    /// What the store says about a credential.
    struct Remembered {
        std::optional<store::TokenRecord> token = {};
        std::optional<store::SessionRecord> session = {};
        Moment read_at = {};
        Timestamp store_time = {};           ///< the store's clock at read_at
        std::optional<Moment> used_at = {};  ///< by recall()

        /// Returns its token if it is valid now; otherwise nullopt.
        [[nodiscard]] std::optional<store::TokenRecord> valid() const;
    };
    struct Found {
        store::TokenRecord token = {};
        Uuid session = {};
    };
    struct Use {
        std::string from = {};
        std::uint64_t count = 0,
                      written = 0;  ///< uses so far, and how many of them the store has
        std::optional<Moment> written_at = {};

        [[nodiscard]] bool is_wanted(Uses which) const;
    };
    struct Failures {
        int count = 0;
        Moment since = {};
    };

    [[nodiscard]] std::optional<Found> find_valid(const Credential& credential);
    [[nodiscard]] Remembered read(store::Store& store, const Credential& credential);
    [[nodiscard]] std::optional<Caller> caller_of(const Credential& credential, const std::string& peer);
    [[nodiscard]] bool read_door(store::ClientStore& store);
    [[nodiscard]] bool is_open_by_memory() const;  // with mutex_ held
    /// Whether look() keeps it up to date.
    [[nodiscard]] static bool is_looked_after(const Remembered& known, Moment now);
    void note_use(const Found& found, const std::string& peer);
    [[nodiscard]] Caller local_caller(const http::Request& request) const;
    void require_known_host(const http::Request& request) const;

    const Login login_;
    const std::vector<std::string> hosts_;
    StorePool& stores_;
    std::mutex mutex_;  // guards the members below
    std::map<Credential, Remembered> remembered_;
    std::map<Uuid, Use> uses_;          // of tokens
    std::map<Uuid, Use> session_uses_;  // of sessions
    std::map<std::string, Failures> failures_;
    std::set<Credential> wanted_;  // that recall() did not know, or did not trust: look() reads them
    /// Whether a first token was ever created; unset: unknown. From then on every client needs a token, for ever,
    /// even after all tokens were revoked.
    std::optional<bool> is_shut_;
    Moment is_shut_at_ = {};
};

}  // namespace holdfast::api
