#include "proof/chaos/ledger.h"

#include <fcntl.h>

#include <array>
#include <fstream>
#include <optional>
#include <sstream>

#include "base/text.h"
#include "base/throw_errno.h"

namespace holdfast::chaos {

namespace {

constexpr std::array<std::pair<Mark, std::string_view>, 4> mark_words = {
    {{Mark::Begin, "begin"}, {Mark::Done, "done"}, {Mark::Failed, "failed"}, {Mark::Overlap, "overlap"}}};

std::string_view word_of(Mark mark) {
    for (const auto& [each, word] : mark_words)
        if (each == mark) return word;
    return "";
}

std::optional<Mark> mark_of(std::string_view text) {
    for (const auto& [mark, word] : mark_words)
        if (word == text) return mark;
    return std::nullopt;
}

std::optional<LedgerLine> parse_line(const std::string& text) {
    std::istringstream in(text);
    std::string word, task, rest;
    LedgerLine line;
    std::int64_t microseconds = 0;
    in >> word >> task >> line.lease >> line.attempt >> line.pid >> microseconds;
    const auto mark = mark_of(word);
    const auto id = Uuid::parse(task);
    if (in.fail() || in >> rest || !mark || !id) return std::nullopt;
    line.mark = *mark;
    line.task = *id;
    line.at = Timestamp(Duration(microseconds));
    return line;
}

}  // namespace

std::string to_text(const LedgerLine& line) {
    return concat(word_of(line.mark), ' ', line.task.to_string(), ' ', line.lease, ' ', line.attempt, ' ', line.pid,
                  ' ', line.at.time_since_epoch().count(), '\n');
}

LedgerLines parse_ledger(std::string_view text) {
    LedgerLines read;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (const auto line = parse_line(std::string(text.substr(0, end)))) {
            read.lines.push_back(*line);
        } else {
            ++read.unreadable;
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return read;
}

LedgerLines read_ledger(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw_errno(path);
    std::ostringstream text;
    text << file.rdbuf();
    return parse_ledger(text.str());
}

LedgerFile::LedgerFile(std::string path)
    : path_(std::move(path)), file_(open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644)) {
    if (!file_) throw_errno(path_);
}

void LedgerFile::append(const LedgerLine& line) const {
    const std::string text = to_text(line);
    const ssize_t written = write(file_.get(), text.data(), text.size());  // one call: whole, whoever else appends
    if (written != static_cast<ssize_t>(text.size()) || fdatasync(file_.get()) != 0) throw_errno(path_);
}

}  // namespace holdfast::chaos
