#include "proof/chaos/chaos_task.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "base/descriptor.h"
#include "base/ids.h"
#include "base/text.h"
#include "base/throw_errno.h"
#include "platform/process_table.h"
#include "platform/real_clock.h"
#include "proof/crew/ledger.h"

namespace holdfast::chaos {

namespace {

using Outcome = Result<nlohmann::json, TaskError>;

std::string book_of_this_process() {
    const char* book = std::getenv(book_variable);
    if (book == nullptr)
        throw std::runtime_error(concat(book_variable, " is not set: this worker was not started by a chaos run"));
    return book;
}

Uuid worker_of_this_process() {
    const char* worker = std::getenv(std::string(platform::worker_variable).c_str());
    return worker == nullptr ? Uuid() : Uuid::parse(worker).value_or(Uuid());
}

/// Locks of the kernel, each on one byte of an empty file: a process holds them until it closes the file or dies.
class KernelLocks {
public:
    explicit KernelLocks(const std::string& book)
        : file_(open((book + "/locks").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
        if (!file_) throw_errno(book + "/locks");
    }

    /// Returns false when another live process holds it.
    [[nodiscard]] bool hold(const std::string& name) const {
        struct flock lock {};
        lock.l_type = F_WRLCK;
        lock.l_whence = SEEK_SET;
        lock.l_start = static_cast<off_t>(hash_of(name) >> 2);
        lock.l_len = 1;
        return fcntl(file_.get(), F_OFD_SETLK, &lock) == 0;
    }

    [[nodiscard]] bool hold_a_slot(const Behaviour& behaviour) const {
        for (int slot = 0; slot < behaviour.limit; ++slot)
            if (hold(concat("key ", behaviour.key, ' ', slot))) return true;
        return behaviour.limit == 0;
    }

private:
    Descriptor file_;
};

void work(Context& context, int length_ms) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(length_ms);
    while (!context.cancelled() && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

class Bookkeeper {
public:
    Bookkeeper(const std::string& book, const Context& context)
        : ledger_(ledger_path(book)),
          line_{.task = context.id(),
                .lease = context.lease(),
                .attempt = context.attempt(),
                .worker = worker_of_this_process(),
                .pid = getpid()} {}

    void note(crew::Mark mark) {
        line_.mark = mark;
        line_.at = platform::real_clock().now();
        ledger_.append(line_);
    }

private:
    crew::Ledger ledger_;
    crew::LedgerLine line_;
};

Outcome run(Context& context, const nlohmann::json& args) {
    const Behaviour behaviour = behaviour_from(args);
    const std::string book = book_of_this_process();
    const KernelLocks locks(book);
    const bool is_alone = locks.hold(context.id().to_string()) && locks.hold_a_slot(behaviour);
    Bookkeeper keeper(book, context);
    keeper.note(crew::Mark::Begin);
    if (!is_alone) keeper.note(crew::Mark::Overlap);
    work(context, behaviour.milliseconds);
    if (behaviour.dies) kill(getpid(), SIGKILL);
    const bool fails = context.attempt() <= behaviour.fails;
    keeper.note(fails ? crew::Mark::Failed : crew::Mark::Done);
    if (fails) return Failure{TaskError{asked_to_fail, "was told to fail", ""}};
    return nlohmann::json(context.lease());
}

}  // namespace

nlohmann::json to_json(const Behaviour& behaviour) {
    nlohmann::json args = {{"ms", behaviour.milliseconds}};
    if (behaviour.fails > 0) args["fails"] = behaviour.fails;
    if (behaviour.dies) args["dies"] = true;
    if (behaviour.limit > 0) args["key"] = behaviour.key;
    if (behaviour.limit > 0) args["limit"] = behaviour.limit;
    return args;
}

Behaviour behaviour_from(const nlohmann::json& args) {
    return {.milliseconds = args.value("ms", 0),
            .fails = args.value("fails", 0),
            .dies = args.value("dies", false),
            .key = args.value("key", ""),
            .limit = args.value("limit", 0)};
}

const FunctionTable& chaos_functions() {
    static const FunctionTable functions = {{chaos_task, run}};
    return functions;
}

std::string ledger_path(const std::string& book) {
    return book + "/ledger";
}

}  // namespace holdfast::chaos
