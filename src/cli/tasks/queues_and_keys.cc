#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "client/catalog_changes.h"
#include "views/task.h"

namespace holdfast::cli {

namespace {

using store::DeclareStatus;

// ---- Queues ---------------------------------------------------------------------------------------

Row queue_row(const store::QueueRecord& queue) {
    return {{queue.name},
            queue.paused ? Cell{"paused", Tone::Bad} : Cell{"open", Tone::Good},
            {std::to_string(queue.pending)},
            {std::to_string(queue.in_flight)}};
}

ExitCode list_queues(Session& session) {
    return session.list({"QUEUE", "STATUS", "PENDING", "CLAIMED OR RUNNING"},
                        session.open_store(Access::AsItIs)->queues(), queue_row,
                        "no queues yet: the first submit makes one");
}

void require_queue_name(const std::string& queue) {
    if (queue.empty() || queue.size() > store::max_short_text_bytes)
        throw BadInput(fmt::format("the queue's name has {} bytes; allowed are 1 to {}", queue.size(),
                                   store::max_short_text_bytes));
    if (const auto defect = name_defect(queue)) throw BadInput(fmt::format("the queue's name {}", *defect));
}

ExitCode tell_queue(const Session& session, const std::string& queue, bool paused) {
    return session.tell(
        Json{{"queue", queue}, {"paused", paused}},
        fmt::format("queue {} {}", queue,
                    paused ? "is paused: its tasks wait; what runs goes on" : "is open: its tasks are given out"));
}

ExitCode pause_queue(Session& session, const std::string& queue) {
    require_queue_name(queue);
    session.open_store(Access::AsItIs)->set_queue_paused(queue, true, session.who());
    return tell_queue(session, queue, true);
}

struct ResumeFlags {
    std::string queue;
    bool all = false;
};

ExitCode resume_all_queues(Session& session) {
    const auto store = session.open_store(Access::AsItIs);
    for (const store::QueueRecord& queue : store->queues()) {
        if (!queue.paused) continue;
        store->set_queue_paused(queue.name, false, session.who());
        tell_queue(session, queue.name, false);
    }
    return ExitCode::Done;
}

ExitCode resume_queue(Session& session, const ResumeFlags& flags) {
    if (flags.all != flags.queue.empty()) throw BadInput("name one queue, or all of them with --all");
    if (flags.all) return resume_all_queues(session);
    require_queue_name(flags.queue);
    session.open_store(Access::AsItIs)->set_queue_paused(flags.queue, false, session.who());
    return tell_queue(session, flags.queue, false);
}

// ---- Concurrency keys -----------------------------------------------------------------------------

Row key_row(const store::KeyRecord& record) {
    return {{record.key.key},
            record.key.is_shared() ? Cell{"(shared)", Tone::Strong} : Cell{record.key.queue},
            {std::to_string(record.key.limit)},
            record.declared ? Cell{"declared"} : Cell{"by submits", Tone::Faint},
            {std::to_string(record.held)},
            {std::to_string(record.waiting)}};
}

ExitCode list_keys(Session& session) {
    return session.list({"KEY", "QUEUE", "LIMIT", "SET", "HELD", "WAITING"},
                        session.open_store(Access::AsItIs)->keys({}), key_row,
                        "no concurrency keys: none is declared, and no task has one");
}

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

ExitCode tell_key(const Session& session, const core::KeyDeclaration& key, std::string_view status,
                  const std::string& sentence) {
    return session.tell(Json{{"key", key.key},
                             {"queue", key.is_shared() ? Json() : Json(key.queue)},
                             {"limit", key.limit},
                             {"status", status}},
                        fmt::format("key {} {}", client::key_name(key.key, key.queue), sentence));
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
    return tell_key(
        session, key, word_of(status),
        fmt::format("has the limit {}{}", key.limit, status == DeclareStatus::Unchanged ? ", as before" : ""));
}

ExitCode remove_key(Session& session, const KeyFlags& flags) {
    require_owner(flags);
    const auto store = session.open_store(Access::AsItIs);
    if (!store->remove_key(flags.key, flags.queue, session.who()))
        throw NotFound(fmt::format("key {} is not declared; 'holdfast keys list' shows those that are",
                                   client::key_name(flags.key, flags.queue)));
    return session.tell(
        Json{{"key", flags.key}, {"queue", flags.shared ? Json() : Json(flags.queue)}, {"status", "removed"}},
        fmt::format("key {} is not declared any more: its limit follows the submits",
                    client::key_name(flags.key, flags.queue)));
}

std::string sentence_about(const core::KeyDeclaration& key, DeclareStatus status, bool dry_run) {
    if (status == DeclareStatus::IsShared)
        return fmt::format(
            "is declared shared in the store, and stays so; 'holdfast keys remove {} --shared' ends it", key.key);
    return fmt::format("{} {}", dry_run ? "would be" : "is", word_of(status));
}

ExitCode apply_keys(Session& session, bool dry_run) {
    const config::Config config = session.load_config_file();
    const auto store = session.open_store(config, dry_run ? Access::AsItIs : Access::CreateAndMigrate);
    const auto changes =
        dry_run ? client::compare_keys(*store, config.keys) : client::put_keys(*store, config.keys, session.who());
    for (const auto& [key, status] : changes.configured)
        tell_key(session, key, word_of(status), sentence_about(key, status, dry_run));
    for (const core::KeyDeclaration& key : changes.not_configured)
        tell_key(session, key, "not_configured",
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

void add_queues(Command& queues) {
    queues.add("list", "Every queue, and how much waits in it", list_queues);
    auto [pause, paused] = queues.add("pause", "Give out none of its tasks; what runs goes on", pause_queue);
    pause.argument("QUEUE", paused, "Its name");
    auto [resume, flags] = queues.add("resume", "Give out its tasks again", resume_queue);
    resume.optional_argument("QUEUE", flags.queue, "Its name");
    resume.flag("--all", flags.all, "Every queue that is paused");
}

void add_keys(Command& keys) {
    keys.add("list", "Keys that are declared or in use: their limits, and who holds and waits", list_keys);
    auto [set, set_flags] = keys.add("set", "Declare a key: its limit is fixed, whatever submits ask for", set_key);
    add_owner(set, set_flags);
    set.number("--limit", set_flags.limit, "N", "How many of its tasks run at once").required();
    set.examples({"holdfast keys set printer --queue office --limit 1", "holdfast keys set api --shared --limit 20"});
    auto [remove, remove_flags] = keys.add("remove", "Let its limit follow the submits again", remove_key);
    add_owner(remove, remove_flags);
    auto [apply, dry_run] = keys.add("apply", "Declare the keys of the configuration file in the store", apply_keys);
    apply.flag("--dry-run", dry_run, "Only say what would change");
}

}  // namespace holdfast::cli
