#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "server/api/problem.h"
#include "server/api/store_pool.h"
#include "server/http/message.h"
#include "store/token_records.h"

namespace holdfast::api {

/// When whoever reaches the server must show a token.
enum class Login {
    WhenTokensExist,  ///< a server on loopback: until the first token is made, everybody is an admin named `local`
    Always,
    Never,  ///< somebody said --insecure
};

/// Who asks.
struct Caller {
    std::string name = {};
    store::Scope scope = store::Scope::Read;
    std::vector<std::string> queues = {};  ///< empty: all
    std::string peer = {};
    Uuid token = {};        ///< nil: none
    std::string hash = {};  ///< of the token; empty: none

    /// "alice from 10.0.0.7 (api)"
    [[nodiscard]] std::string who() const;
    [[nodiscard]] bool may_use_queue(const std::string& queue) const;
    /// Throw FORBIDDEN with a sentence that says what is needed.
    void require(store::Scope needed, std::string_view what = "this") const;
    void require_queue(const std::string& queue) const;
    void require_all_queues() const;
};

/// A cookie with the token of whoever logged in at the page; nullopt: none.
[[nodiscard]] std::optional<std::string> session_cookie(const http::Request& request);

/// Tells who asks, by the tokens of the store. Tokens are remembered for three seconds, so that not every request
/// asks the store, and a revoked one is refused soon. Thread-safe.
class Access {
public:
    Access(Login login, std::vector<std::string> hosts, StorePool& stores)
        : login_(login), hosts_(std::move(hosts)), stores_(stores) {}

    /// Throws NO_TOKEN, BAD_TOKEN, CROSS_SITE, or what the store throws.
    [[nodiscard]] Caller identify(const http::Request& request);
    /// Who asks, by what the store said last, however long ago; nullopt: it said nothing of this one, or no. Never
    /// waits for the store; look() asks it about tokens that recall() did not know. Throws CROSS_SITE and BAD_TOKEN.
    [[nodiscard]] std::optional<Caller> recall(const http::Request& request);
    /// Reads what recall() goes by; to be called every now and then.
    void look(store::Store& store);
    /// Whoever has this secret; nullopt: nobody.
    [[nodiscard]] std::optional<Caller> bearer_of(const std::string& secret, const std::string& peer);
    /// Whether the token with this hash may still be used ("": it needs none).
    [[nodiscard]] bool still_valid(const std::string& hash);
    [[nodiscard]] bool needs_token();

    /// Forgets what it remembers of tokens: one was made or revoked here.
    void forget();
    /// Throws TOO_MANY_REQUESTS when logins from this address have failed too often.
    void require_login_patience(const std::string& peer);
    void note_failed_login(const std::string& peer);

    /// What is known of uses and not in the store yet: of each token at most twice a minute, unless this is the end.
    enum class Uses { Due, All };
    [[nodiscard]] bool has_uses_to_write(Uses which);
    /// Notes in the store who was last seen where; to be called every now and then, and at the end.
    void write_uses(store::ServerStore& store, Uses which);

private:
    using Moment = std::chrono::steady_clock::time_point;
    struct Remembered {
        std::optional<store::TokenRecord> token = {};
        Moment read_at = {};
        Timestamp store_time = {};  ///< at read_at, by the store's clock

        /// The token, if it is valid now.
        [[nodiscard]] std::optional<store::TokenRecord> valid() const;
    };
    struct Use {
        std::string from = {};
        std::uint64_t count = 0, written = 0;  ///< how many there were, and how many of them the store knows
        std::optional<Moment> written_at = {};

        [[nodiscard]] bool is_wanted(Uses which) const;
    };
    struct Failures {
        int count = 0;
        Moment since = {};
    };

    [[nodiscard]] std::optional<store::TokenRecord> find_valid(const std::string& hash);
    [[nodiscard]] Remembered read_token(store::Store& store, const std::string& hash);
    [[nodiscard]] bool read_door(store::ClientStore& store);
    [[nodiscard]] bool is_open_by_memory() const;  // with mutex_ held
    void note_use(const store::TokenRecord& token, const std::string& peer);
    [[nodiscard]] Caller local_caller(const http::Request& request) const;
    void require_known_host(const http::Request& request) const;

    const Login login_;
    const std::vector<std::string> hosts_;
    StorePool& stores_;
    std::mutex mutex_;  // guards what follows
    std::map<std::string, Remembered> remembered_;
    std::map<Uuid, Use> uses_;
    std::map<std::string, Failures> failures_;
    std::set<std::string> wanted_;  // hashes that recall() did not know
    /// Whether the first token has been made: from then on the door is shut for ever, whatever becomes of the tokens.
    std::optional<bool> is_shut_;
    Moment is_shut_at_ = {};
};

}  // namespace holdfast::api
