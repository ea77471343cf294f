#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>

#include "base/ids.h"
#include "base/text.h"
#include "cli/session.h"
#include "cli/tasks/timeline.h"
#include "cli/terminal/words.h"
#include "platform/system_random.h"
#include "server/api/token_secret.h"
#include "server/remote/remote_tokens.h"
#include "views/token_shape.h"

namespace holdfast::cli {

namespace {

struct NewTokenFlags {
    std::string name, scope, expires;
    std::vector<std::string> queues;
};

store::Scope read_scope(const std::string& text) {
    return read_word<store::Scope>("--scope", text,
                                   {{"read", store::Scope::Read},
                                    {"submit", store::Scope::Submit},
                                    {"operate", store::Scope::Operate},
                                    {"admin", store::Scope::Admin}});
}

using MadeToken = remote::MadeToken;

store::NewToken token_of(const NewTokenFlags& flags, Session& session) {
    platform::SystemRandom random;
    return {.id = make_uuid_v4(random),
            .name = flags.name,
            .hash = {},
            .scope = read_scope(flags.scope),
            .queues = flags.queues,
            .expires_at = {},
            .who = session.who()};
}

void print_created(const Io& io, const MadeToken& made) {
    const store::NewToken& token = made.record.token;
    io.out << fmt::format("token {} ({}) is made; this is the only time that its secret is shown:\n\n  {}\n\n",
                          token.name, store::to_text(token.scope), paint(io, Tone::Strong, made.secret))
           << "Send it as 'Authorization: Bearer SECRET', or log in with it on the page.\n";
}

/// nullopt: the name is taken.
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
    std::optional<Duration> lasts;
    if (!flags.expires.empty()) lasts = read_duration("--expires", flags.expires);
    if (const auto server = session.server()) return make_at_server(*server, token, flags.expires);
    return make_in_store(*session.open_store(Access::CreateAndMigrate), token, lasts);
}

ExitCode create(Session& session, const NewTokenFlags& flags) {
    const auto made = make_token(session, flags);
    if (!made) {
        session.io.err << fmt::format(
            "holdfast: there is a token named {} already; choose another name, or revoke it: 'holdfast tokens revoke "
            "{}'\n",
            flags.name, flags.name);
        return ExitCode::Failed;
    }
    if (!session.globals.json) {
        print_created(session.io, *made);
        return ExitCode::Done;
    }
    views::Json shape = views::to_json_shape(made->record);
    shape["token"] = made->secret;
    session.io.out << shape.dump() << '\n';
    return ExitCode::Done;
}

Cell status_of(const store::TokenRecord& record, Timestamp now) {
    if (record.revoked_at) return {"revoked", Tone::Bad};
    if (!record.token.expires_at) return {"valid", Tone::Good};
    if (*record.token.expires_at <= now) return {"expired", Tone::Bad};
    return {"valid for " + rough_duration(*record.token.expires_at - now), Tone::Good};
}

std::string last_use(const store::TokenRecord& record, Timestamp now) {
    if (!record.last_used_at) return "never";
    return fmt::format("{} ago from {}", rough_duration(now - *record.last_used_at), record.last_used_from);
}

constexpr const char* way_back =
    "no token is valid, and without one every server of this store stays shut: 'holdfast tokens create NAME --scope "
    "admin', "
    "run directly on the store, makes one\n";

bool is_valid(const store::TokenRecord& record, Timestamp now) {
    return !record.revoked_at && (!record.token.expires_at || *record.token.expires_at > now);
}

bool has_valid(const std::vector<store::TokenRecord>& tokens, Timestamp now) {
    return std::ranges::any_of(tokens, [&](const auto& record) { return is_valid(record, now); });
}

ExitCode list(Session& session) {
    const auto store = session.open_store(Access::AsItIs);
    const Timestamp now = store->now();
    std::vector<std::vector<Cell>> rows;
    const std::vector<store::TokenRecord> tokens = store->tokens();
    for (const store::TokenRecord& record : tokens) {
        if (session.globals.json) session.io.out << views::to_json_shape(record).dump() << '\n';
        rows.push_back({{record.token.name},
                        {std::string(store::to_text(record.token.scope))},
                        {record.token.queues.empty() ? "all" : join(record.token.queues, ", ")},
                        status_of(record, now),
                        {last_use(record, now)},
                        {record.token.who},
                        {record.token.id.to_string(), Tone::Faint}});
    }
    if (session.globals.json) return ExitCode::Done;
    print_table(session.io, {"NAME", "SCOPE", "QUEUES", "STATUS", "LAST USE", "MADE BY", "ID"}, rows);
    if (!tokens.empty() && !has_valid(tokens, now)) session.io.err << "holdfast: " << way_back;
    if (rows.empty() && session.io.terminal)
        session.io.out << "no tokens: 'holdfast tokens create NAME --scope operate' makes one\n";
    return ExitCode::Done;
}

ExitCode revoke(Session& session, const std::string& name) {
    const auto store = session.open_store(Access::AsItIs);
    const bool is_revoked = store->revoke_token(name, session.who());
    if (session.globals.json)
        session.io.out << views::Json{{"name", name}, {"status", is_revoked ? "revoked" : "not_found"}}.dump()
                       << '\n';
    else if (is_revoked)
        session.io.out << fmt::format("token {} is revoked: servers refuse it within seconds\n", name);
    if (is_revoked && !session.server() && !has_valid(store->tokens(), store->now()))
        session.io.err << "holdfast: " << way_back;
    if (is_revoked) return ExitCode::Done;
    session.io.err << fmt::format("holdfast: no valid token has the name or id {}; see 'holdfast tokens list'\n",
                                  name);
    return ExitCode::Failed;
}

void add_create(CLI::App& tokens, Action& chosen) {
    auto given = std::make_shared<NewTokenFlags>();
    auto* command = tokens.add_subcommand("create", "Make a token, and show its secret, once");
    command->add_option("NAME", given->name, "Whose or what for it is; events say it")->required()->type_name("");
    command->add_option("--scope", given->scope, "read, submit, operate or admin; each includes those before")
        ->required()
        ->type_name("WORD");
    command->add_option("--queue", given->queues, "Only tasks of this queue (repeatable; default: of all)")
        ->type_name("NAME")
        ->allow_extra_args(false);
    command->add_option("--expires", given->expires, "How long it is valid: 90d (default: until it is revoked)")
        ->type_name("DURATION");
    command->callback([given, &chosen] { chosen = [given](Session& session) { return create(session, *given); }; });
}

void add_revoke(CLI::App& tokens, Action& chosen) {
    auto name = std::make_shared<std::string>();
    auto* command = tokens.add_subcommand("revoke", "Let a token open nothing any more");
    command->add_option("NAME", *name, "Its name or id")->required()->type_name("");
    command->callback([name, &chosen] { chosen = [name](Session& session) { return revoke(session, *name); }; });
}

}  // namespace

void add_tokens(CLI::App& program, Action& chosen) {
    auto* tokens = program.add_subcommand("tokens", "Say who may use the server: make, list and revoke its keys");
    tokens->require_subcommand(1);
    add_create(*tokens, chosen);
    tokens->add_subcommand("list", "Every token, without its secret")->callback([&chosen] { chosen = list; });
    add_revoke(*tokens, chosen);
}

}  // namespace holdfast::cli
