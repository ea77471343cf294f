#include "server/api/access.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/ids.h"
#include "base/text.h"

namespace holdfast::api {

namespace {

using Steady = std::chrono::steady_clock;

constexpr auto remember_for = std::chrono::milliseconds(500);
constexpr auto look_after_use_for = std::chrono::minutes(5);
constexpr auto note_use_every = std::chrono::seconds(30);
constexpr std::size_t most_remembered = 1000;
constexpr std::size_t most_wanted = 100;
constexpr int most_failed_logins = 10;
constexpr auto login_window = std::chrono::minutes(1);
constexpr std::string_view cookie_name = "holdfast_session=";
constexpr std::string_view token_prefix = "hf_";
constexpr std::string_view session_prefix = "hs_";
constexpr std::string_view base64url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr int secret_bytes = 32;
constexpr std::size_t secret_characters = 43;

/// Returns "example.org:443" for "https://example.org": as in a Host header, always with the port.
std::string authority_of(std::string_view origin) {
    const auto scheme_end = origin.find("://");
    if (scheme_end == std::string_view::npos) return "";
    std::string authority = lower_case(origin.substr(scheme_end + 3));
    const auto colon = authority.rfind(':');
    const bool has_port = colon != std::string::npos && authority.find(']', colon) == std::string::npos;
    if (!has_port) authority += origin.starts_with("https:") ? ":443" : ":80";
    return authority;
}

bool is_own_origin(std::string_view origin, std::string_view host) {
    const std::string theirs = authority_of(origin);
    if (theirs.empty()) return false;
    const std::string scheme(origin.substr(0, origin.find("://")));
    return theirs == authority_of(concat(scheme, "://", host));
}

[[noreturn]] void refuse(const std::string& why) {
    throw Problem("CROSS_SITE", concat(why, ": requests of other sites' pages are refused"));
}

bool changes_something(const http::Request& request) {
    return request.method != "GET" && request.method != "HEAD";
}

std::optional<std::string> bearer_secret(const http::Request& request) {
    const std::string_view header = request.header("authorization");
    if (header.empty()) return std::nullopt;
    constexpr std::string_view scheme = "bearer ";
    const bool is_bearer = header.size() > scheme.size() && lower_case(header.substr(0, scheme.size())) == scheme;
    if (!is_bearer)
        throw Problem("BAD_TOKEN", "the Authorization header must be of the form 'Bearer TOKEN'")
            .with_header("www-authenticate", "Bearer");
    return std::string(header.substr(scheme.size()));
}

Problem bad_token() {
    return Problem("BAD_TOKEN",
                   "the token is unknown, has expired or was revoked; 'holdfast tokens list' shows those there are")
        .with_header("www-authenticate", "Bearer error=\"invalid_token\"");
}

Caller caller_with(const store::TokenRecord& record, const Uuid& session, const Credential& credential,
                   const std::string& peer) {
    return {.name = record.token.name,
            .scope = record.token.scope,
            .queues = record.token.queues,
            .peer = peer,
            .credential = credential,
            .session = session};
}

std::string make_secret(std::string_view prefix) {
    std::array<unsigned char, secret_bytes> bytes{};
    if (RAND_bytes(bytes.data(), secret_bytes) != 1) throw std::runtime_error("OpenSSL has no random bytes");
    std::string text(secret_characters + 1, '=');
    EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes.data(), secret_bytes);
    text.pop_back();  // the padding
    std::ranges::replace(text, '+', '-');
    std::ranges::replace(text, '/', '_');
    return std::string(prefix) + text;
}

bool looks_like_secret(std::string_view text, std::string_view prefix) {
    if (!text.starts_with(prefix) || text.size() != prefix.size() + secret_characters) return false;
    text.remove_prefix(prefix.size());
    return text.find_first_not_of(base64url) == std::string_view::npos;
}

bool equal_in_constant_time(const std::string& left, const std::string& right) {
    return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

Credential token_credential(const std::string& secret) {
    if (!looks_like_token_secret(secret)) return {};
    return {Credential::Kind::Token, hash_token_secret(secret)};
}

Credential session_credential(const std::string& secret) {
    if (!looks_like_session_secret(secret)) return {};
    return {Credential::Kind::Session, hash_token_secret(secret)};
}

}  // namespace

// ---- Cross-site requests ------------------------------------------------------------------------

std::string host_of(std::string_view authority) {
    if (authority.starts_with('[')) return lower_case(authority.substr(1, authority.find(']') - 1));
    return lower_case(authority.substr(0, authority.find(':')));
}

bool is_loopback(std::string_view host) {
    if (host == "localhost" || host.ends_with(".localhost") || host == "::1" || host == "::ffff:127.0.0.1")
        return true;
    // Only digits and three dots: 127.0.0.1.example.org is not a loopback address.
    return host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos &&
           std::ranges::count(host, '.') == 3;
}

void require_same_site(const http::Request& request) {
    const std::string_view origin = request.header("origin");
    if (!origin.empty() && !is_own_origin(origin, request.header("host")))
        refuse(concat("the Origin '", origin, "' is not the server's own"));
    const std::string_view site = request.header("sec-fetch-site");
    if (changes_something(request) && (site == "cross-site" || site == "same-site"))
        refuse("the browser says that another site asks");
}

void require_page_request(const http::Request& request) {
    require_same_site(request);
    if (changes_something(request) && request.header("x-holdfast") != "page")
        refuse("a request with the page's cookie that changes something needs the header 'X-Holdfast: page'");
}

// ---- Secrets ------------------------------------------------------------------------------------

std::string make_token_secret() {
    return make_secret(token_prefix);
}

std::string make_session_secret() {
    return make_secret(session_prefix);
}

std::string hash_token_secret(std::string_view secret) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (EVP_Digest(secret.data(), secret.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
        throw std::runtime_error("SHA-256 is not available in this build of OpenSSL");
    std::string text;
    for (unsigned at = 0; at < size; ++at) {
        text.push_back("0123456789abcdef"[digest[at] >> 4]);
        text.push_back("0123456789abcdef"[digest[at] & 15]);
    }
    return text;
}

bool looks_like_token_secret(std::string_view text) {
    return looks_like_secret(text, token_prefix);
}

bool looks_like_session_secret(std::string_view text) {
    return looks_like_secret(text, session_prefix);
}

// ---- Authentication -----------------------------------------------------------------------------

std::string Caller::who() const {
    return fmt::format("{} from {} (api)", name, peer);
}

bool Caller::may_use_queue(const std::string& queue) const {
    return queues.empty() || std::ranges::count(queues, queue) > 0;
}

void Caller::require(store::Scope needed, std::string_view what) const {
    if (store::includes(scope, needed)) return;
    throw Problem("FORBIDDEN", fmt::format("{} needs the scope {}; {} has the scope {}", what, word_of(needed), name,
                                           word_of(scope)));
}

void Caller::require_queue(const std::string& queue) const {
    if (may_use_queue(queue)) return;
    throw Problem("FORBIDDEN", fmt::format("{} may use the queues {}, not {}", name, join(queues, ", "), queue));
}

void Caller::require_all_queues() const {
    if (queues.empty()) return;
    throw Problem("FORBIDDEN",
                  fmt::format("this concerns all queues; {} is limited to {}", name, join(queues, ", ")));
}

std::optional<std::string> session_cookie(const http::Request& request) {
    for (const auto& [name, value] : request.headers) {
        if (name != "cookie") continue;
        for (const std::string_view each : split(value, ';'))
            if (const auto cookie = trimmed(each); cookie.starts_with(cookie_name))
                return std::string(cookie.substr(cookie_name.size()));
    }
    return std::nullopt;
}

Caller Access::identify(const http::Request& request) {
    if (const auto secret = bearer_secret(request)) {
        auto caller = bearer_of(*secret, request.peer);
        if (!caller) throw bad_token();
        return *std::move(caller);
    }
    if (auto caller = session_of(request)) {
        require_page_request(request);
        return *std::move(caller);
    }
    if (needs_token()) {
        if (session_cookie(request)) throw bad_token();
        throw Problem("NO_TOKEN",
                      "a token is needed: send 'Authorization: Bearer TOKEN', or log in at the page; 'holdfast "
                      "tokens create', run directly on the store, makes one")
            .with_header("www-authenticate", "Bearer");
    }
    return local_caller(request);
}

/// The checks keep a page of another site, open in a browser on this machine, from acting as the admin.
Caller Access::local_caller(const http::Request& request) const {
    if (login_ != Login::Never) require_known_host(request);
    require_same_site(request);
    return {.name = "local", .scope = store::Scope::Admin, .peer = request.peer};
}

void Access::require_known_host(const http::Request& request) const {
    const std::string host = host_of(request.header("host"));
    if (is_loopback(host) || std::ranges::count(hosts_, host) > 0) return;
    throw Problem("CROSS_SITE",
                  concat("without a token the server answers to its own address only, not to '", host, "'"));
}

std::optional<Caller> Access::bearer_of(const std::string& secret, const std::string& peer) {
    return caller_of(token_credential(secret), peer);
}

std::optional<Caller> Access::caller_of(const Credential& credential, const std::string& peer) {
    if (credential.kind == Credential::Kind::None) return std::nullopt;
    const auto found = find_valid(credential);
    if (!found) return std::nullopt;
    note_use(*found, peer);
    return caller_with(found->token, found->session, credential, peer);
}

std::optional<Caller> Access::session_of(const http::Request& request) {
    const auto cookie = session_cookie(request);
    return cookie ? caller_of(session_credential(*cookie), request.peer) : std::nullopt;
}

std::optional<std::pair<Caller, std::string>> Access::log_in(const std::string& token_secret, const std::string& peer,
                                                             Random& random) {
    const Credential token = token_credential(token_secret);
    if (token.kind == Credential::Kind::None) return std::nullopt;
    const auto found = find_valid(token);
    if (!found) return std::nullopt;
    const std::string secret = make_session_secret();
    const Credential session = session_credential(secret);
    const Uuid id = make_uuid_v4(random);
    Caller caller = caller_with(found->token, id, session, peer);
    const auto lent = stores_.lend();
    lent->create_session({.id = id, .hash = session.hash, .token = found->token.token.id, .from = peer},
                         caller.who());
    (void)read(*lent, session);
    note_use({.token = found->token, .session = id}, peer);
    return std::pair(std::move(caller), secret);
}

std::optional<Caller> Access::recall(const http::Request& request) {
    const auto bearer = bearer_secret(request);
    const auto cookie = bearer ? std::nullopt : session_cookie(request);
    if (cookie) require_page_request(request);
    const std::lock_guard lock(mutex_);
    if (!bearer && !cookie) return is_open_by_memory() ? std::optional(local_caller(request)) : std::nullopt;
    const Credential credential = bearer ? token_credential(*bearer) : session_credential(*cookie);
    if (credential.kind == Credential::Kind::None) return std::nullopt;
    const auto found = remembered_.find(credential);
    if (found == remembered_.end()) {
        if (wanted_.size() < most_wanted) wanted_.insert(credential);
        return std::nullopt;
    }
    found->second.used_at = Steady::now();
    const auto record = found->second.valid();
    if (!record) return std::nullopt;
    const auto& session = found->second.session;
    return caller_with(*record, session ? session->session.id : Uuid(), credential, request.peer);
}

bool Access::is_open_by_memory() const {
    return login_ == Login::Never || (login_ == Login::WhenTokensExist && is_shut_ == false);
}

void Access::look(store::Store& store) {
    std::set<Credential> wanted;
    {
        const std::lock_guard lock(mutex_);
        wanted.swap(wanted_);
        const auto now = Steady::now();
        for (const auto& [credential, known] : remembered_)
            if (now - known.used_at < look_after_use_for && wanted.size() < 2 * most_wanted)
                wanted.insert(credential);
    }
    if (login_ == Login::WhenTokensExist) (void)read_door(store);
    for (const Credential& credential : wanted) (void)read(store, credential);
}

bool Access::still_valid(store::Store& store, const Credential& credential) {
    if (credential.kind == Credential::Kind::None) return !needs_token();
    return read(store, credential).valid().has_value();
}

// ---- The cache of tokens and sessions -----------------------------------------------------------

/// The store's clock was read with the token; the monotonic clock of this machine advances it to now.
std::optional<store::TokenRecord> Access::Remembered::valid() const {
    const Timestamp now = store_time + std::chrono::floor<Duration>(Steady::now() - read_at);
    if (session) return session->is_valid(now) ? std::optional(session->token) : std::nullopt;
    return token && token->state_at(now) == core::TokenState::Valid ? token : std::nullopt;
}

std::optional<Access::Found> Access::find_valid(const Credential& credential) {
    const auto found_in = [](const Remembered& known) -> std::optional<Found> {
        auto token = known.valid();
        if (!token) return std::nullopt;
        return Found{*std::move(token), known.session ? known.session->session.id : Uuid()};
    };
    {
        const std::lock_guard lock(mutex_);
        const auto found = remembered_.find(credential);
        const bool is_fresh = found != remembered_.end() && Steady::now() - found->second.read_at < remember_for;
        if (is_fresh) return found_in(found->second);
    }
    const auto lent = stores_.lend();
    return found_in(read(*lent, credential));
}

Access::Remembered Access::read(store::Store& store, const Credential& credential) {
    Remembered known{.read_at = Steady::now()};
    if (credential.kind == Credential::Kind::Session) {
        known.session = store.find_session(credential.hash);
        if (known.session && !equal_in_constant_time(known.session->session.hash, credential.hash))
            known.session.reset();
    } else {
        known.token = store.find_token(credential.hash);
        if (known.token && !equal_in_constant_time(known.token->token.hash, credential.hash)) known.token.reset();
    }
    known.store_time = store.now();
    const std::lock_guard lock(mutex_);
    if (remembered_.size() >= most_remembered) remembered_.clear();
    Remembered& kept = remembered_[credential];
    known.used_at = kept.used_at;
    kept = known;
    return known;
}

bool Access::needs_token() {
    if (login_ != Login::WhenTokensExist) return login_ == Login::Always;
    {
        const std::lock_guard lock(mutex_);
        if (is_shut_ == true) return true;
        if (is_shut_ && Steady::now() - is_shut_at_ < remember_for) return *is_shut_;
    }
    const auto lent = stores_.lend();
    return read_door(*lent);
}

/// A store keeps its newest token for ever, even an invalid one: any row proves that a token was created.
bool Access::read_door(store::ClientStore& store) {
    const auto read_at = Steady::now();
    const bool any = !store.tokens().empty();
    const std::lock_guard lock(mutex_);
    is_shut_ = any || is_shut_ == true;
    is_shut_at_ = read_at;
    return *is_shut_;
}

void Access::forget() {
    const std::lock_guard lock(mutex_);
    remembered_.clear();
    if (is_shut_ == false) is_shut_.reset();
}

// ---- Logins and uses ----------------------------------------------------------------------------

void Access::require_login_patience(const std::string& peer) {
    const std::lock_guard lock(mutex_);
    const auto found = failures_.find(peer);
    if (found == failures_.end() || found->second.count < most_failed_logins) return;
    const auto passed = Steady::now() - found->second.since;
    if (passed >= login_window) {
        failures_.erase(found);
        return;
    }
    const auto left = std::chrono::ceil<std::chrono::seconds>(login_window - passed).count();
    throw Problem("TOO_MANY_REQUESTS",
                  fmt::format("too many logins from {} have failed; try again in {} s", peer, left))
        .with_header("retry-after", std::to_string(left));
}

void Access::note_failed_login(const std::string& peer) {
    const std::lock_guard lock(mutex_);
    if (failures_.size() >= most_remembered) failures_.clear();
    Failures& failures = failures_[peer];
    const auto now = Steady::now();
    if (failures.count == 0 || now - failures.since >= login_window) failures = {.count = 0, .since = now};
    ++failures.count;
}

void Access::note_use(const Found& found, const std::string& peer) {
    const std::lock_guard lock(mutex_);
    const auto note = [&](Use& use) {
        use.from = peer;
        ++use.count;
    };
    note(uses_[found.token.token.id]);
    if (!found.session.is_nil()) note(session_uses_[found.session]);
}

bool Access::Use::is_wanted(Uses which) const {
    if (count == written) return false;
    return which == Uses::All || !written_at || Steady::now() - *written_at >= note_use_every;
}

bool Access::has_uses_to_write(Uses which) {
    const std::lock_guard lock(mutex_);
    const auto is_wanted = [&](const auto& entry) { return entry.second.is_wanted(which); };
    return std::ranges::any_of(uses_, is_wanted) || std::ranges::any_of(session_uses_, is_wanted);
}

void Access::write_uses(store::ServerStore& store, Uses which) {
    const auto write = [&](std::map<Uuid, Use>& uses, const auto& note) {
        std::map<Uuid, Use> wanted;
        {
            const std::lock_guard lock(mutex_);
            for (const auto& [id, use] : uses)
                if (use.is_wanted(which)) wanted.emplace(id, use);
        }
        for (const auto& [id, use] : wanted) {
            note(id, use.from);
            const std::lock_guard lock(mutex_);
            uses[id].written = use.count;
            uses[id].written_at = Steady::now();
        }
    };
    write(uses_, [&](const Uuid& token, const std::string& from) { store.note_token_use(token, from); });
    write(session_uses_,
          [&](const Uuid& session, const std::string& from) { store.note_session_use(session, from); });
}

}  // namespace holdfast::api
