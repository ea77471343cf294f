#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ostream>

#include "cli/session.h"
#include "cli/terminal/json_shapes.h"
#include "client/key_operations.h"

namespace holdfast::cli {

namespace {

using store::DeclareStatus;

// ---- Look -----------------------------------------------------------------------------------------

ExitCode list_keys(Session& session) {
    const auto store = session.open_store(Access::AsItIs);
    std::vector<std::vector<Cell>> rows;
    for (const auto& record : store->keys({})) {
        if (session.globals.json) session.io.out << to_json_shape(record).dump() << '\n';
        rows.push_back({{record.key.key},
                        record.key.is_shared() ? Cell{"(shared)", Tone::Strong} : Cell{record.key.queue},
                        {std::to_string(record.key.limit)},
                        record.declared ? Cell{"declared"} : Cell{"by submits", Tone::Faint},
                        {std::to_string(record.held)},
                        {std::to_string(record.waiting)}});
    }
    if (session.globals.json) return ExitCode::Done;
    print_table(session.io, {"KEY", "QUEUE", "LIMIT", "SET", "HELD", "WAITING"}, rows);
    if (rows.empty() && session.io.terminal)
        session.io.out << "no concurrency keys: none is declared, and no task has one\n";
    return ExitCode::Done;
}

// ---- Declare and remove ---------------------------------------------------------------------------

struct KeyFlags {
    std::string key;
    std::string queue;
    bool shared = false;
    int limit = 0;
};

/// A key belongs to a queue, or to all of them: which one is never guessed.
void require_owner(const KeyFlags& flags) {
    if (flags.shared == flags.queue.empty()) return;
    throw BadInput("say whose the key is: --shared, or --queue with the name of its queue");
}

Json shape_of(const core::KeyDeclaration& key, std::string_view status) {
    return {{"key", key.key},
            {"queue", key.is_shared() ? Json() : Json(key.queue)},
            {"limit", key.limit},
            {"status", status}};
}

ExitCode set_key(Session& session, const KeyFlags& flags) {
    require_owner(flags);
    const core::KeyDeclaration key{flags.key, flags.queue, flags.limit};
    const auto store = session.open_store(Access::CreateAndMigrate);
    const DeclareStatus status = store->declare_key(key, session.who());
    if (status == DeclareStatus::IsShared)
        throw BadInput(
            fmt::format("key {0} is declared shared, so that no queue has a limit of its own; "
                        "'holdfast keys remove {0} --shared' ends that",
                        key.key));
    if (session.globals.json)
        session.io.out << shape_of(key, client::to_text(status)).dump() << '\n';
    else
        session.io.out << fmt::format("key {} has the limit {}{}\n", client::key_name(key.key, key.queue), key.limit,
                                      status == DeclareStatus::Unchanged ? ", as before" : "");
    return ExitCode::Done;
}

ExitCode remove_key(Session& session, const KeyFlags& flags) {
    require_owner(flags);
    const auto store = session.open_store(Access::AsItIs);
    if (!store->remove_key(flags.key, flags.queue, session.who()))
        throw UnknownKey(fmt::format("key {} is not declared; 'holdfast keys list' shows those that are",
                                     client::key_name(flags.key, flags.queue)));
    if (session.globals.json)
        session.io.out << Json{{"key", flags.key},
                               {"queue", flags.shared ? Json() : Json(flags.queue)},
                               {"status", "removed"}}
                              .dump()
                       << '\n';
    else
        session.io.out << fmt::format("key {} is not declared any more: its limit follows the submits\n",
                                      client::key_name(flags.key, flags.queue));
    return ExitCode::Done;
}

// ---- Those of the configuration -------------------------------------------------------------------

std::string sentence_about(const core::KeyDeclaration& key, DeclareStatus status, bool dry_run) {
    if (status == DeclareStatus::IsShared)
        return fmt::format(
            "is declared shared in the store, and stays so; 'holdfast keys remove {} --shared' ends it", key.key);
    return fmt::format("{} {}", dry_run ? "would be" : "is", client::to_text(status));
}

void tell(const Session& session, const core::KeyDeclaration& key, std::string_view status,
          const std::string& sentence) {
    if (session.globals.json)
        session.io.out << shape_of(key, status).dump() << '\n';
    else
        session.io.out << fmt::format("key {} {}\n", client::key_name(key.key, key.queue), sentence);
}

ExitCode apply_keys(Session& session, bool dry_run) {
    const config::Config config = session.load_config();
    if (config.file.empty())
        throw BadInput("no configuration file was read; write one (holdfast.yaml), or name one with --config");
    const auto store = session.open_store(config, dry_run ? Access::AsItIs : Access::CreateAndMigrate);
    const auto changes =
        dry_run ? client::compare_keys(*store, config.keys) : client::put_keys(*store, config.keys, session.who());
    for (const auto& [key, status] : changes.configured)
        tell(session, key, client::to_text(status), sentence_about(key, status, dry_run));
    for (const core::KeyDeclaration& key : changes.not_configured)
        tell(session, key, "not_configured",
             fmt::format("is not in {}, and stays; 'holdfast keys remove {} {}' removes it", config.file, key.key,
                         key.is_shared() ? "--shared" : "--queue " + key.queue));
    return ExitCode::Done;
}

CLI::App* add_key_command(CLI::App& keys, Action& chosen, const char* word, const char* help,
                          const std::shared_ptr<KeyFlags>& flags, ExitCode (*act)(Session&, const KeyFlags&)) {
    auto* command = keys.add_subcommand(word, help);
    command->add_option("KEY", flags->key, "Its name")->required()->type_name("");
    command->add_option("--queue", flags->queue, "The queue that it belongs to")->type_name("NAME");
    command->add_flag("--shared", flags->shared, "The tasks of all queues share it");
    command->callback(
        [flags, act, &chosen] { chosen = [flags, act](Session& session) { return act(session, *flags); }; });
    return command;
}

}  // namespace

void add_keys(CLI::App& program, Action& chosen) {
    auto* keys = program.add_subcommand("keys", "Look at concurrency keys, and fix their limits");
    keys->require_subcommand(1);
    keys->add_subcommand("list", "Keys that are declared or in use: their limits, and who holds and waits")
        ->callback([&chosen] { chosen = list_keys; });
    auto flags = std::make_shared<KeyFlags>();
    add_key_command(*keys, chosen, "set", "Declare a key: its limit is fixed, whatever submits ask for", flags,
                    set_key)
        ->add_option("--limit", flags->limit, "How many of its tasks run at once")
        ->required()
        ->type_name("N");
    add_key_command(*keys, chosen, "remove", "Let its limit follow the submits again", flags, remove_key);
    auto dry_run = std::make_shared<bool>(false);
    auto* apply = keys->add_subcommand("apply", "Declare the keys of the configuration file in the store");
    apply->add_flag("--dry-run", *dry_run, "Only say what would change");
    apply->callback(
        [dry_run, &chosen] { chosen = [dry_run](Session& session) { return apply_keys(session, *dry_run); }; });
}

}  // namespace holdfast::cli
