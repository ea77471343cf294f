#include <fmt/format.h>

#include <ostream>

#include "cli/commands.h"
#include "cli/terminal/json_shapes.h"
#include "client/key_operations.h"

namespace holdfast::cli {

namespace {

using store::DeclareStatus;

// ---- List -----------------------------------------------------------------------------------------

ExitCode list_keys(Session& session) {
    const auto store = session.open_store(Access::AsItIs);
    std::vector<std::vector<Cell>> rows;
    for (const auto& record : store->keys({})) {
        if (session.globals.json) session.print(to_json_shape(record));
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

/// Requires the owner of a key, one queue or all of them, to be stated.
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
    session.tell(shape_of(key, word_of(status)),
                 fmt::format("key {} has the limit {}{}", client::key_name(key.key, key.queue), key.limit,
                             status == DeclareStatus::Unchanged ? ", as before" : ""));
    return ExitCode::Done;
}

ExitCode remove_key(Session& session, const KeyFlags& flags) {
    require_owner(flags);
    const auto store = session.open_store(Access::AsItIs);
    if (!store->remove_key(flags.key, flags.queue, session.who()))
        throw NotFound(fmt::format("key {} is not declared; 'holdfast keys list' shows those that are",
                                   client::key_name(flags.key, flags.queue)));
    session.tell(
        Json{{"key", flags.key}, {"queue", flags.shared ? Json() : Json(flags.queue)}, {"status", "removed"}},
        fmt::format("key {} is not declared any more: its limit follows the submits",
                    client::key_name(flags.key, flags.queue)));
    return ExitCode::Done;
}

// ---- Apply the configuration ----------------------------------------------------------------------

std::string sentence_about(const core::KeyDeclaration& key, DeclareStatus status, bool dry_run) {
    if (status == DeclareStatus::IsShared)
        return fmt::format(
            "is declared shared in the store, and stays so; 'holdfast keys remove {} --shared' ends it", key.key);
    return fmt::format("{} {}", dry_run ? "would be" : "is", word_of(status));
}

void tell(const Session& session, const core::KeyDeclaration& key, std::string_view status,
          const std::string& sentence) {
    session.tell(shape_of(key, status), fmt::format("key {} {}", client::key_name(key.key, key.queue), sentence));
}

ExitCode apply_keys(Session& session, bool dry_run) {
    const config::Config config = session.load_config();
    if (config.file.empty())
        throw BadInput("no configuration file was read; write one (holdfast.yaml), or name one with --config");
    const auto store = session.open_store(config, dry_run ? Access::AsItIs : Access::CreateAndMigrate);
    const auto changes =
        dry_run ? client::compare_keys(*store, config.keys) : client::put_keys(*store, config.keys, session.who());
    for (const auto& [key, status] : changes.configured)
        tell(session, key, word_of(status), sentence_about(key, status, dry_run));
    for (const core::KeyDeclaration& key : changes.not_configured)
        tell(session, key, "not_configured",
             fmt::format("is not in {}, and stays; 'holdfast keys remove {} {}' removes it", config.file, key.key,
                         key.is_shared() ? "--shared" : "--queue " + key.queue));
    return ExitCode::Done;
}

void add_owner(Command& command, KeyFlags& flags) {
    command.argument("KEY", flags.key, "Its name");
    command.text("--queue", flags.queue, "NAME", "The queue that it belongs to");
    command.flag("--shared", flags.shared, "The tasks of all queues share it");
}

}  // namespace

void add_keys(Command& keys) {
    keys.add("list", "Keys that are declared or in use: their limits, and who holds and waits", list_keys);
    auto [set, set_flags] = keys.add("set", "Declare a key: its limit is fixed, whatever submits ask for", set_key);
    add_owner(set, set_flags);
    set.number("--limit", set_flags.limit, "N", "How many of its tasks run at once").required();
    auto [remove, remove_flags] = keys.add("remove", "Let its limit follow the submits again", remove_key);
    add_owner(remove, remove_flags);
    auto [apply, dry_run] = keys.add("apply", "Declare the keys of the configuration file in the store", apply_keys);
    apply.flag("--dry-run", dry_run, "Only say what would change");
}

}  // namespace holdfast::cli
