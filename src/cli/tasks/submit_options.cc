#include "cli/tasks/submit_options.h"

#include <CLI/CLI.hpp>

#include "cli/terminal/words.h"
#include "core/task/policy_text.h"

namespace holdfast::cli {

namespace {

void add_identity(CLI::App& command, SubmitFlags& flags) {
    command.add_option("--id", flags.id, "A UUID of your own; submitting it again is harmless")->type_name("UUID");
    command
        .add_option("--idempotency-key", flags.idempotency_key, "A text that only this task has; works as --id does")
        ->type_name("TEXT");
    command.add_option("--traceparent", flags.traceparent, "The W3C trace context that it belongs to")
        ->type_name("TEXT");
}

void add_routing(CLI::App& command, SubmitFlags& flags) {
    command.add_option("--queue", flags.queue, "The queue it goes to (default: default)")->type_name("NAME");
    command.add_option("--priority", flags.priority, "1 to 100, lower first (default: 50)")->type_name("N");
    command.add_option("--tag", flags.tags, "A tag that its worker must carry (repeatable)")
        ->type_name("TAG")
        ->allow_extra_args(false);
    command.add_option("--unmatched", flags.unmatched, "When no worker can run it: wait (default) or fail")
        ->type_name("WORD");
    command
        .add_option("--concurrency-key", flags.concurrency_key,
                    "Tasks of its queue with the same key share its slots")
        ->type_name("KEY");
    command.add_option("--concurrency-limit", flags.concurrency_limit, "How many slots to ask for (default: 1)")
        ->type_name("N");
}

void add_times(CLI::App& command, SubmitFlags& flags) {
    auto* run_at =
        command.add_option("--run-at", flags.run_at, "Not before this time (RFC 3339, or +30m)")->type_name("TIME");
    command.add_option("--delay", flags.delay, "Not before this long from now")
        ->type_name("DURATION")
        ->excludes(run_at);
    command.add_option("--deadline", flags.deadline, "EXPIRED when not started by then (RFC 3339, or +30m)")
        ->type_name("TIME");
    command.add_option("--attempt-timeout", flags.attempt_timeout, "The longest that one attempt may run")
        ->type_name("DURATION");
}

void add_retries(CLI::App& command, SubmitFlags& flags) {
    command.add_option("--max-attempts", flags.max_attempts, "All attempts together (default: 1, no retry)")
        ->type_name("N");
    command
        .add_option("--retry-delay", flags.retry_delays,
                    "How long the next retry waits (repeatable; the last one repeats)")
        ->type_name("DURATION")
        ->allow_extra_args(false);
    command
        .add_option("--retry-base", flags.retry_base, "Without --retry-delay: the first retry's wait (default: 1s)")
        ->type_name("DURATION");
    command.add_option("--retry-factor", flags.retry_factor, "... times this for each further one (default: 2)")
        ->type_name("X");
    command.add_option("--retry-cap", flags.retry_cap, "... but at most this long (default: 5m)")
        ->type_name("DURATION");
    command
        .add_option("--retry-jitter", flags.retry_jitter, "... plus or minus this part of it, 0 to 1 (default: 0)")
        ->type_name("X");
    command.add_option("--retry-on", flags.retry_on, "Retry only after this error code (repeatable; default: any)")
        ->type_name("CODE")
        ->allow_extra_args(false);
}

void add_crashes(CLI::App& command, SubmitFlags& flags) {
    command.add_option("--on-crash", flags.on_crash, "When its worker dies: fail (default) or requeue")
        ->type_name("WORD");
    command.add_option("--max-crashes", flags.max_crashes, "How often requeue may run it again (default: 3)")
        ->type_name("N");
    command.add_option("--fence", flags.fence, "When its worker loses the store: auto (default), stop or continue")
        ->type_name("WORD");
}

void read_retry(const SubmitFlags& flags, RetryPolicy& retry) {
    if (!flags.max_attempts.empty()) retry.max_attempts = read_whole_number("--max-attempts", flags.max_attempts);
    if (!flags.retry_delays.empty()) retry.delays.clear();
    for (const auto& delay : flags.retry_delays) retry.delays.push_back(read_duration("--retry-delay", delay));
    if (!flags.retry_base.empty()) retry.base = read_duration("--retry-base", flags.retry_base);
    if (!flags.retry_factor.empty()) retry.factor = read_number("--retry-factor", flags.retry_factor);
    if (!flags.retry_cap.empty()) retry.cap = read_duration("--retry-cap", flags.retry_cap);
    if (!flags.retry_jitter.empty()) retry.jitter = read_number("--retry-jitter", flags.retry_jitter);
    if (!flags.retry_on.empty()) retry.retry_on = flags.retry_on;
}

void read_policy(const SubmitFlags& flags, TaskPolicy& policy) {
    read_retry(flags, policy.retry);
    if (!flags.on_crash.empty())
        policy.on_crash = read_word<OnCrash>("--on-crash", flags.on_crash,
                                             {{"fail", OnCrash::Fail}, {"requeue", OnCrash::Requeue}});
    if (!flags.max_crashes.empty()) policy.max_crashes = read_whole_number("--max-crashes", flags.max_crashes);
    if (!flags.attempt_timeout.empty()) policy.timeout = read_duration("--attempt-timeout", flags.attempt_timeout);
    if (!flags.fence.empty())
        policy.fence = read_word<Fence>(
            "--fence", flags.fence, {{"auto", Fence::Auto}, {"stop", Fence::Stop}, {"continue", Fence::Continue}});
    if (!flags.unmatched.empty())
        policy.unmatched = read_word<Unmatched>("--unmatched", flags.unmatched,
                                                {{"wait", Unmatched::Wait}, {"fail", Unmatched::Fail}});
    if (const std::string defect = core::policy_defect(policy); !defect.empty()) throw BadInput(defect);
}

void read_concurrency(const SubmitFlags& flags, std::optional<ConcurrencyKey>& concurrency) {
    if (!flags.concurrency_key.empty())
        concurrency = {.key = flags.concurrency_key, .limit = concurrency ? concurrency->limit : 1};
    if (flags.concurrency_limit.empty()) return;
    if (!concurrency) throw BadInput("--concurrency-limit needs --concurrency-key");
    concurrency->limit = read_whole_number("--concurrency-limit", flags.concurrency_limit);
}

}  // namespace

void add_submit_options(CLI::App& command, SubmitFlags& flags) {
    add_identity(command, flags);
    add_routing(command, flags);
    add_times(command, flags);
    add_retries(command, flags);
    add_crashes(command, flags);
}

void read_submit_options(const SubmitFlags& flags, SubmitOptions& options) {
    if (!flags.id.empty()) options.id = read_uuid("--id", flags.id);
    options.idempotency_key = flags.idempotency_key;
    options.traceparent = flags.traceparent;
    if (!flags.queue.empty()) options.queue = flags.queue;
    if (!flags.priority.empty()) options.priority = read_whole_number("--priority", flags.priority);
    options.tags.insert(options.tags.end(), flags.tags.begin(), flags.tags.end());
    read_concurrency(flags, options.concurrency);
    read_policy(flags, options.policy);
}

void read_times(const SubmitFlags& flags, std::optional<Duration> deadline, Timestamp now, SubmitOptions& options) {
    if (deadline) options.deadline = now + *deadline;
    if (!flags.run_at.empty()) options.run_at = read_moment("--run-at", flags.run_at, now);
    if (!flags.delay.empty()) options.run_at = now + read_duration("--delay", flags.delay);
    if (!flags.deadline.empty()) options.deadline = read_moment("--deadline", flags.deadline, now);
}

}  // namespace holdfast::cli
