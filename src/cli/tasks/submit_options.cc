#include "cli/tasks/submit_options.h"

#include <algorithm>

#include "base/text.h"
#include "cli/terminal/words.h"

namespace holdfast::cli {

namespace {

using core::OptionType;
using core::TaskOption;

bool is_list(const TaskOption& option) {
    return option.type == OptionType::DurationList || option.type == OptionType::NameList;
}

/// The placeholder of the value in the help.
std::string placeholder(const TaskOption& option) {
    if (option.type == OptionType::Choice) return join(core::offered_words(option), "|");
    if (option.type == OptionType::Count) return "N";
    if (option.type == OptionType::Number) return "X";
    if (option.type == OptionType::Text) return "TEXT";
    return option.type == OptionType::Duration || option.type == OptionType::DurationList ? "DURATION" : "NAME";
}

/// The help text: "How often requeue may run the task again (0 to 1000; default: 3)".
std::string help_of(const TaskOption& option) {
    std::vector<std::string> notes;
    if (option.range.most != 0 && option.type != OptionType::NameList) notes.push_back(core::range_text(option));
    if (is_list(option)) notes.emplace_back("repeatable");
    if (!option.fallback.empty()) notes.push_back(concat("default: ", option.fallback));
    std::string help = core::meaning_with(&TaskOption::flag, option);
    std::erase(help, '`');
    help.pop_back();
    return notes.empty() ? help : concat(help, " (", join(notes, "; "), ')');
}

void add_flag(Command& command, const TaskOption& option, TaskFlag& flag) {
    if (is_list(option))
        command.texts(option.flag.c_str(), flag.texts, placeholder(option).c_str(), help_of(option).c_str());
    else
        command.text(option.flag.c_str(), flag.text, placeholder(option).c_str(), help_of(option));
}

core::OptionValue read_choice(const TaskOption& option, const std::string& text) {
    const auto words = core::offered_words(option);
    const auto word = std::ranges::find(words, lower_case(text));
    if (word == words.end()) refuse_word(option.flag, text, words);
    return *word;
}

core::OptionValue read_flag(const TaskOption& option, const TaskFlag& flag) {
    if (option.type == OptionType::Choice) return read_choice(option, flag.text);
    if (option.type == OptionType::Count) return std::int64_t{read_whole_number(option.flag, flag.text)};
    if (option.type == OptionType::Number) return read_number(option.flag, flag.text);
    if (option.type == OptionType::Duration) return read_duration(option.flag, flag.text);
    if (option.type == OptionType::NameList) return flag.texts;
    if (option.type != OptionType::DurationList) return flag.text;
    std::vector<Duration> durations;
    for (const std::string& text : flag.texts) durations.push_back(read_duration(option.flag, text));
    return durations;
}

}  // namespace

void add_submit_options(Command& command, SubmitFlags& flags) {
    command.text("--id", flags.id, "UUID", "A UUID of your own; submitting it again is harmless");
    command.text("--idempotency-key", flags.idempotency_key, "TEXT",
                 "A text that only this task has; works as --id does");
    command.text("--traceparent", flags.traceparent, "TEXT", "The W3C trace context that it belongs to");
    const Option run_at = command.text("--run-at", flags.run_at, "TIME", "Not before this time (RFC 3339, or +30m)");
    command.text("--delay", flags.delay, "DURATION", "Not before this long from now").excludes(run_at);
    command.text("--deadline", flags.deadline, "TIME", "EXPIRED when not started by then (RFC 3339, or +30m)");
    for (std::size_t i = 0; i < flags.options.size(); ++i)
        add_flag(command, core::task_options()[i], flags.options[i]);
}

void read_submit_options(const SubmitFlags& flags, SubmitOptions& options) {
    if (!flags.id.empty()) options.id = read_uuid("--id", flags.id);
    options.idempotency_key = flags.idempotency_key;
    options.traceparent = flags.traceparent;
    for (std::size_t i = 0; i < flags.options.size(); ++i) {
        const TaskFlag& flag = flags.options[i];
        if (flag.text.empty() && flag.texts.empty()) continue;
        const TaskOption& option = core::task_options()[i];
        core::override_with(option, option.flag, read_flag(option, flag), options);
    }
    if (options.concurrency && options.concurrency->key.empty())
        throw BadInput("--concurrency-limit needs --concurrency-key");
}

void read_times(const SubmitFlags& flags, std::optional<Duration> deadline, Timestamp now, SubmitOptions& options) {
    if (deadline) options.deadline = now + *deadline;
    if (!flags.run_at.empty()) options.run_at = read_moment("--run-at", flags.run_at, now);
    if (!flags.delay.empty()) options.run_at = now + read_duration("--delay", flags.delay);
    if (!flags.deadline.empty()) options.deadline = read_moment("--deadline", flags.deadline, now);
}

}  // namespace holdfast::cli
