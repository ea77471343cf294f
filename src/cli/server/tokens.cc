#include <fmt/format.h>

#include "base/ids.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/tasks/timeline.h"
#include "cli/terminal/words.h"
#include "platform/system_random.h"
#include "server/api/access.h"
#include "server/remote/server_link.h"
#include "views/token.h"

namespace holdfast::cli {

namespace {

struct NewTokenFlags {
    std::string name, scope, expires;
    std::vector<std::string> queues;
};

using MadeToken = remote::MadeToken;

store::NewToken token_of(const NewTokenFlags& flags, Session& session) {
    platform::SystemRandom random;
    return {.id = make_uuid_v4(random),
            .name = flags.name,
            .hash = {},
            .scope = read_word<store::Scope>("--scope", flags.scope),
            .queues = flags.queues,
            .expires_at = {},
            .who = session.who()};
}

void print_created(const Io& io, const MadeToken& made) {
    const store::NewToken& token = made.record.token;
    io.out << fmt::format("token {} ({}) is made; this is the only time that its secret is shown:\n\n  {}\n\n",
                          token.name, word_of(token.scope), paint(io, Tone::Strong, made.secret))
           << "Send it as 'Authorization: Bearer SECRET', or log in with it on the page.\n";
}

/// Creates a token on the server; nullopt when the name is taken.
std::optional<MadeToken> make_at_server(remote::ServerLink& server, const store::NewToken& token,
                                        const std::string& lasts) {
    try {
        return remote::create_token(server, token, lasts);
    } catch (const remote::Conflict&) {
        return std::nullopt;
    }
}

std::optional<MadeToken> make_in_store(store::Store& store, store::NewToken token,
                                       const std::optional<Duration>& lasts) {
    const std::string secret = api::make_token_secret();
    token.hash = api::hash_token_secret(secret);
    if (lasts) token.expires_at = store.now() + *lasts;
    if (store.create_token(token) == store::CreateTokenStatus::NameTaken) return std::nullopt;
    auto stored = store.find_token(token.hash);
    return MadeToken{stored ? *std::move(stored) : store::TokenRecord{.token = token, .created_at = store.now()},
                     secret};
}

std::optional<MadeToken> make_token(Session& session, const NewTokenFlags& flags) {
    const store::NewToken token = token_of(flags, session);
    const auto lasts = read_duration_if_given("--expires", flags.expires);
    if (const auto server = session.server()) return make_at_server(*server, token, flags.expires);
    return make_in_store(*session.open_store_itself(session.load_config(), Access::CreateAndMigrate), token, lasts);
}

ExitCode create_token(Session& session, const NewTokenFlags& flags) {
    const auto made = make_token(session, flags);
    if (!made) {
        session.io.err << fmt::format(
            "holdfast: there is a token named {0} already; choose another name, or revoke it: 'holdfast tokens "
            "revoke "
            "{0}'\n",
            flags.name);
        return ExitCode::Failed;
    }
    return session.show(*made, print_created);
}

Cell token_status(const store::TokenRecord& record, Timestamp now) {
    switch (record.state_at(now)) {
        case core::TokenState::Revoked:
            return {"revoked", Tone::Bad};
        case core::TokenState::Expired:
            return {"expired", Tone::Bad};
        case core::TokenState::Valid:
            break;
    }
    if (!record.token.expires_at) return {"valid", Tone::Good};
    return {"valid for " + rough_duration(*record.token.expires_at - now), Tone::Good};
}

std::string last_use(const store::TokenRecord& record, Timestamp now) {
    if (!record.last_used_at) return "never";
    return fmt::format("{} ago from {}", rough_duration(now - *record.last_used_at), record.last_used_from);
}

constexpr const char* way_back =
    "no token is valid, and without one every server of this store stays shut: 'holdfast tokens create NAME --scope "
    "admin', run directly on the store, makes one\n";

Row token_row(const store::TokenRecord& record, Timestamp now) {
    return {{record.token.name},
            {std::string(word_of(record.token.scope))},
            {record.token.queues.empty() ? "all" : join(record.token.queues, ", ")},
            token_status(record, now),
            {last_use(record, now)},
            {record.token.who},
            {record.token.id.to_string(), Tone::Faint}};
}

ExitCode list_tokens(Session& session) {
    const auto store = session.open_store(Access::AsItIs);
    const Timestamp now = store->now();
    const std::vector<store::TokenRecord> tokens = store->tokens();
    session.list(
        {"NAME",
         "SCOPE",
         {"QUEUES", Column::Room::Shortened},
         "STATUS",
         "LAST USE",
         {"MADE BY", Column::Room::Shortened},
         {"ID", Column::Room::WideOnly}},
        tokens, [now](const store::TokenRecord& record) { return token_row(record, now); },
        "no tokens: 'holdfast tokens create NAME --scope operate' makes one");
    const bool is_shut = !tokens.empty() && !store::has_valid(tokens, now);
    if (is_shut && !session.globals.json) session.io.err << "holdfast: " << way_back;
    return ExitCode::Done;
}

ExitCode revoke_token(Session& session, const std::string& name) {
    const auto store = session.open_store(Access::AsItIs);
    const bool is_revoked = store->revoke_token(name, session.who());
    if (session.globals.json)
        session.print(Json{{"name", name}, {"status", is_revoked ? "revoked" : "not_found"}});
    else if (is_revoked)
        session.io.out << fmt::format("token {} is revoked: every server refuses it within a second\n", name);
    if (is_revoked && !session.server() && !store::has_valid(store->tokens(), store->now()))
        session.io.err << "holdfast: " << way_back;
    if (is_revoked) return ExitCode::Done;
    session.io.err << fmt::format("holdfast: no valid token has the name or id {}; see 'holdfast tokens list'\n",
                                  name);
    return ExitCode::Failed;
}

Row session_row(const store::SessionRecord& record, Timestamp now) {
    return {{record.token.token.name},
            {rough_duration(now - record.created_at) + " ago from " + record.session.from},
            {rough_duration(now - record.last_used_at) + " ago from " + record.last_used_from},
            {record.session.id.to_string(), Tone::Faint}};
}

ExitCode list_sessions(Session& session) {
    const auto store = session.open_store(Access::AsItIs);
    const Timestamp now = store->now();
    session.list(
        {"TOKEN", "LOGGED IN", "LAST USE", "ID"}, store->sessions(),
        [now](const store::SessionRecord& record) { return session_row(record, now); },
        "nobody is logged in at the page");
    return ExitCode::Done;
}

ExitCode end_session(Session& session, const std::string& text) {
    const auto store = session.open_store(Access::AsItIs);
    const auto id = Uuid::parse(text);
    const bool is_ended = id && store->end_session(*id, session.who());
    if (session.globals.json) session.print(Json{{"id", text}, {"status", is_ended ? "ended" : "not_found"}});
    if (!is_ended) {
        session.io.err << fmt::format("holdfast: no valid session has the id {}; see 'holdfast tokens sessions'\n",
                                      text);
        return ExitCode::Failed;
    }
    if (!session.globals.json)
        session.io.out << fmt::format("session {} is ended: every server refuses it within a second\n", text);
    return ExitCode::Done;
}

}  // namespace

void add_tokens(Command& tokens) {
    auto [create, given] = tokens.add("create", "Make a token, and show its secret, once", create_token);
    create.argument("NAME", given.name, "Whose or what for it is; events say it");
    create.text("--scope", given.scope, "WORD", "read, submit, operate or admin; each includes those before")
        .required();
    create.texts("--queue", given.queues, "NAME", "Only tasks of this queue (repeatable; default: of all)");
    create.text("--expires", given.expires, "DURATION", "How long it is valid: 90d (default: until it is revoked)");
    tokens.add("list", "Every token, without its secret", list_tokens);
    auto [revoke, name] = tokens.add("revoke", "Let a token open nothing any more", revoke_token);
    revoke.argument("NAME", name, "Its name or id");
    tokens.add("sessions", "Who is logged in at the page", list_sessions);
    auto [end, id] = tokens.add("end-session", "End a session of the page", end_session);
    end.argument("ID", id, "The id of the session");
}

}  // namespace holdfast::cli
