#include "proof/crew/ledger.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <sstream>

#include "base/descriptor.h"
#include "base/text.h"
#include "base/throw_errno.h"
#include "proof/crew/patience.h"

namespace holdfast::crew {

namespace {

constexpr std::array<std::pair<Mark, std::string_view>, 4> mark_words = {
    {{Mark::Begin, "begin"}, {Mark::Done, "done"}, {Mark::Failed, "failed"}, {Mark::Overlap, "overlap"}}};

constexpr std::string_view end_of_line = ".";

std::string_view word_of(Mark mark) {
    return std::ranges::find(mark_words, mark, &std::pair<Mark, std::string_view>::first)->second;
}

std::optional<Mark> mark_of(std::string_view text) {
    for (const auto& [mark, word] : mark_words)
        if (word == text) return mark;
    return std::nullopt;
}

std::optional<LedgerLine> parse_line(const std::string& text) {
    std::istringstream in(text);
    std::string word, task, worker, end;
    LedgerLine line;
    std::int64_t microseconds = 0;
    in >> word >> task >> line.lease >> line.attempt >> worker >> line.pid >> microseconds;
    std::getline(in, end);
    const auto mark = mark_of(word);
    const auto id = Uuid::parse(task);
    const auto holder = Uuid::parse(worker);
    if (in.fail() || end != end_of_line || !mark || !id || !holder) return std::nullopt;
    line.mark = *mark;
    line.task = *id;
    line.worker = *holder;
    line.at = Timestamp(Duration(microseconds));
    return line;
}

/// Whether a whole line may begin like this.
bool is_torn(std::string_view text) {
    const std::string_view word = text.substr(0, text.find(' '));
    const bool may_be_mark =
        word.size() < text.size()
            ? mark_of(word).has_value()
            : std::ranges::any_of(mark_words, [&](const auto& each) { return each.second.starts_with(word); });
    return may_be_mark && text.find_first_not_of(" 0123456789abcdef-", word.size()) == std::string_view::npos;
}

Descriptor open_for_appending(const std::string& path) {
    Descriptor file(open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
    if (!file) throw_errno(path);
    return file;
}

/// Reports only later changes: the caller reads the file after it has begun to watch.
Descriptor watch_file(const std::string& path) {
    Descriptor watch(inotify_init1(IN_CLOEXEC));
    if (inotify_add_watch(watch.get(), path.c_str(), IN_MODIFY) < 0) throw_errno(path);
    return watch;
}

void wait_for_change(const Descriptor& watch, const Deadline& deadline) {
    pollfd changed{watch.get(), POLLIN, 0};
    poll(&changed, 1, deadline.milliseconds_left());
    std::array<char, 4096> events;
    if (changed.revents != 0) [[maybe_unused]]
        const auto got = ::read(watch.get(), events.data(), events.size());
}

}  // namespace

std::string to_text(const LedgerLine& line) {
    return concat('\n', word_of(line.mark), ' ', line.task.to_string(), ' ', line.lease, ' ', line.attempt, ' ',
                  line.worker.to_string(), ' ', line.pid, ' ', line.at.time_since_epoch().count(), end_of_line);
}

std::size_t LedgerLines::count(Mark mark) const {
    return static_cast<std::size_t>(std::ranges::count(lines, mark, &LedgerLine::mark));
}

std::vector<LedgerLine> LedgerLines::of(const Uuid& task, Mark mark) const {
    std::vector<LedgerLine> found;
    std::ranges::copy_if(lines, std::back_inserter(found),
                         [&](const LedgerLine& line) { return line.task == task && line.mark == mark; });
    return found;
}

LedgerLines parse_ledger(std::string_view text) {
    LedgerLines read;
    for (const std::string_view each : split(text, '\n')) {
        if (each.empty()) continue;
        if (const auto line = parse_line(std::string(each)))
            read.lines.push_back(*line);
        else
            ++(is_torn(each) ? read.torn : read.unreadable);
    }
    return read;
}

Ledger::Ledger(std::string path) : path_(std::move(path)) {
    open_for_appending(path_);
}

void Ledger::append(const LedgerLine& line) const {
    const std::string text = to_text(line);
    const Descriptor file = open_for_appending(path_);
    const ssize_t written = write(file.get(), text.data(), text.size());  // one call, so that lines do not mix
    if (written != static_cast<ssize_t>(text.size()) || fdatasync(file.get()) != 0) throw_errno(path_);
}

LedgerLines Ledger::read() const {
    std::ifstream file(path_, std::ios::binary);
    if (!file) throw_errno(path_);
    std::ostringstream text;
    text << file.rdbuf();
    return parse_ledger(text.str());
}

LedgerLines Ledger::wait_until(const std::function<bool(const LedgerLines&)>& wanted, const std::string& what) const {
    const Descriptor watch = watch_file(path_);
    const Deadline deadline("the ledger: " + what);
    while (true) {
        LedgerLines now = read();
        if (wanted(now)) return now;
        wait_for_change(watch, deadline);
    }
}

}  // namespace holdfast::crew
