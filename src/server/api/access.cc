#include "server/api/access.h"

#include <fmt/format.h>
#include <algorithm>

#include "base/ids.h"
#include "base/text.h"
#include "core/origin.h"

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

}  // namespace

// ---- Authentication -----------------------------------------------------------------------------

std::string Caller::who() const {
    return core::server_caller(name, peer, session.is_nil() ? core::Door::Api : core::Door::Page);
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

std::optional<Caller> Access::recall(const http::Request& request, bool store_is_out) {
    const auto bearer = bearer_secret(request);
    const auto cookie = bearer ? std::nullopt : session_cookie(request);
    if (cookie) require_page_request(request);
    const std::lock_guard lock(mutex_);
    if (!bearer && !cookie) return is_open_by_memory() ? std::optional(local_caller(request)) : std::nullopt;
    const Credential credential = bearer ? token_credential(*bearer) : session_credential(*cookie);
    if (credential.kind == Credential::Kind::None) return std::nullopt;
    const auto found = remembered_.find(credential);
    const auto now = Steady::now();
    const bool is_trusted = found != remembered_.end() && (store_is_out || is_looked_after(found->second, now) ||
                                                           now - found->second.read_at < remember_for);
    if (!is_trusted) {
        if (wanted_.size() < most_wanted) wanted_.insert(credential);
        return std::nullopt;
    }
    found->second.used_at = now;
    const auto record = found->second.valid();
    if (!record) return std::nullopt;
    const auto& session = found->second.session;
    return caller_with(*record, session ? session->session.id : Uuid(), credential, request.peer);
}

bool Access::is_looked_after(const Remembered& known, Moment now) {
    return known.used_at && now - *known.used_at < look_after_use_for;
}

bool Access::is_open_by_memory() const {
    return login_ == Login::Never || (login_ == Login::WhenTokensExist && is_shut_ == false);
}

void Access::look(store::Store& store) {
    std::set<Credential> wanted;
    {
        const std::lock_guard lock(mutex_);
        wanted = wanted_;
        const auto now = Steady::now();
        for (const auto& [credential, known] : remembered_)
            if (is_looked_after(known, now) && wanted.size() < 2 * most_wanted) wanted.insert(credential);
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
    known.used_at = wanted_.erase(credential) > 0 ? known.read_at : kept.used_at;
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
    {
        const std::lock_guard lock(mutex_);
        if (is_shut_ == true) return true;
    }
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
