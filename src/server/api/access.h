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
#include "server/api/store_pool.h"
#include "store/token_records.h"

namespace holdfast::api {

// Protection against cross-site requests: a page of another site must not act in the name of our user.

/// Returns the host of "example.org:7070" or "[::1]:7070" in lower case, without brackets and port.
[[nodiscard]] std::string host_of(std::string_view authority);
/// Whether the host is localhost, *.localhost, in 127.0.0.0/8, ::1 or ::ffff:127.0.0.1.
[[nodiscard]] bool is_loopback(std::string_view host);

/// Throws CROSS_SITE when the headers of the browser show that the request comes from another site.
void require_same_site(const http::Request& request);
/// The same. In addition, a request that changes something must carry `X-Holdfast: page`, which other sites cannot
/// send.
void require_page_request(const http::Request& request);

/// Returns a new secret for a token: "hf_" and 43 characters that encode 256 random bits. It authenticates as the
/// token. Shown once, never stored.
[[nodiscard]] std::string make_token_secret();
/// The same for a session, "hs_": only the cookie of the page carries it, and it opens nothing as a token.
[[nodiscard]] std::string make_session_secret();

/// Returns the hash of a secret that the store keeps: SHA-256, in hexadecimal. The secret has too much entropy to be
/// guessed from it, so a plain hash suffices, without salt or a slow function.
[[nodiscard]] std::string hash_token_secret(std::string_view secret);

/// Whether the text has the form of a secret. The caller can refuse any other text without a lookup.
[[nodiscard]] bool looks_like_token_secret(std::string_view text);
[[nodiscard]] bool looks_like_session_secret(std::string_view text);

/// A secret that a client presented, by its hash: the token itself, or a session of the page.
struct Credential {
    enum class Kind { None, Token, Session } kind = Kind::None;
    std::string hash = {};  ///< of the secret; empty: the client presented none

    friend auto operator<=>(const Credential&, const Credential&) = default;
};

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

    /// "alice from 10.0.0.7 (api)"
    [[nodiscard]] std::string who() const;
    [[nodiscard]] bool may_use_queue(const std::string& queue) const;
    [[nodiscard]] bool has_token() const { return credential.kind != Credential::Kind::None; }
    /// Each throws FORBIDDEN when the caller lacks the permission; its sentence names the required one.
    void require(store::Scope needed, std::string_view what = "this") const;
    void require_queue(const std::string& queue) const;
    void require_all_queues() const;
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
    /// Returns the client of the request by the last known tokens, however old; nullopt: the token is unknown or
    /// invalid, or the request lacks one and may need it. Never waits for the store: look() reads the tokens that
    /// were missing or out of date here. Throws CROSS_SITE and BAD_TOKEN.
    [[nodiscard]] std::optional<Caller> recall(const http::Request& request);
    /// Reads the tokens that recall() needs, and whether any exist. Api::look calls it periodically.
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
        Timestamp store_time = {};  ///< the store's clock at read_at
        Moment used_at = {};        ///< by recall()

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
    std::set<Credential> wanted_;  // that recall() did not know: look() reads them
    /// Whether a first token was ever created; unset: unknown. From then on every client needs a token, for ever,
    /// even after all tokens were revoked.
    std::optional<bool> is_shut_;
    Moment is_shut_at_ = {};
};

}  // namespace holdfast::api
