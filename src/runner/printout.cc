#include "runner/printout.h"

#include <unistd.h>

#include <algorithm>
#include <istream>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"
#include "runner/texts.h"

namespace holdfast::runner {

namespace {
// A longer line is not meant for people; but a result that is printed as one line must fit.
constexpr std::size_t longest_line = 64 * 1024 * 1024;

// No secret is longer.
std::string_view last_bytes(std::string_view text) {
    constexpr std::size_t most = 64 * 1024;
    return text.size() <= most ? text : text.substr(text.size() - most);
}
}  // namespace

void Fingerprint::add(std::string_view bytes) {
    constexpr std::uint64_t multiplier = 0x9E3779B97F4A7C15;  // odd, and half of its bits are set
    for (const char each : bytes) hash_ = (hash_ ^ static_cast<unsigned char>(each)) * multiplier + 1;
    size_ += bytes.size();
}

// ---- PrintStream --------------------------------------------------------------------------------

void PrintStream::restart() {
    *this = PrintStream(std::move(name_));
}

void PrintStream::add(std::string_view bytes) {
    follow_lines(bytes);
    if (is_cut_) return;
    added_.add(bytes);
    const std::size_t room = Printout::cap - kept_;
    waiting_.append(bytes.substr(0, room));
    kept_ += std::min(room, bytes.size());
    if (bytes.size() <= room) return;
    is_cut_ = true;
    waiting_ += concat("\n[", name_, " is longer than 10 MB: the rest is not kept]\n");
}

void PrintStream::complete(std::istream& log) {
    std::array<char, 64 * 1024> buffer;
    const auto read_up_to = [&](std::size_t most) {
        log.read(buffer.data(), static_cast<std::streamsize>(std::min(most, buffer.size())));
        return std::string_view(buffer.data(), static_cast<std::size_t>(log.gcount()));
    };
    Fingerprint beginning;
    while (beginning.size() < added_.size()) {
        const std::string_view part = read_up_to(added_.size() - beginning.size());
        if (part.empty()) return;
        beginning.add(part);
    }
    if (beginning != added_) return;
    std::string_view part = read_up_to(buffer.size());
    if (part == "\n") return;
    for (; !part.empty() && !is_cut_; part = read_up_to(buffer.size())) add(part);
}

void PrintStream::follow_lines(std::string_view bytes) {
    while (!bytes.empty()) {
        const std::size_t end = std::min(bytes.find('\n'), bytes.size());
        line_.append(bytes.substr(0, std::min(end, longest_line - std::min(longest_line, line_.size()))));
        if (end == bytes.size()) return;
        if (!line_.empty()) std::swap(last_line_, line_);
        line_.clear();
        bytes.remove_prefix(end + 1);
    }
}

std::string PrintStream::take(bool everything, const SecretMask& mask) {
    std::size_t size = waiting_.size();
    if (!everything) {
        const std::size_t line_end = waiting_.rfind('\n');
        if (line_end != std::string::npos)
            size = line_end + 1;
        else
            size -= std::max(unfinished_character(waiting_), mask.hold_back(last_bytes(waiting_)));
    }
    std::string taken = mask.masked(std::string_view(waiting_).substr(0, size));
    waiting_.erase(0, size);
    return taken;
}

void take_chunks(PrintStream& stream, const engine::RunLog& like, bool everything, const SecretMask& mask,
                 std::vector<engine::RunLog>& chunks) {
    if (stream.waiting() == 0) return;
    const std::string bytes = stream.take(everything, mask);
    for (std::string_view left = bytes; !left.empty();) {
        std::string_view part = left.substr(0, largest_chunk);
        if (part.size() < left.size()) part.remove_suffix(unfinished_character(part));
        left.remove_prefix(part.size());
        chunks.push_back(like);
        chunks.back().stream = stream.name();
        chunks.back().text = readable_text(part);
    }
}

// ---- Printout -----------------------------------------------------------------------------------

Printout::Printout(Descriptor out, Descriptor err)
    : pipes_{std::move(out), std::move(err)},
      streams_{PrintStream("stdout"), PrintStream("stderr"), PrintStream("log")} {}

void Printout::begin(store::Lease lease) {
    lease_ = lease;
    mask_ = {};
    unacknowledged_ = 0;  // what is lost with a lease is never acknowledged
    for (PrintStream& stream : streams_) stream.restart();
}

bool Printout::wants_to_read(std::size_t stream) const {
    return lease_ == 0 || has_room() || streams_[stream].is_over_cap();
}

std::size_t Printout::read_pipes() {
    std::size_t total = 0;
    for (std::size_t stream = 0; stream < pipes_.size(); ++stream)
        if (wants_to_read(stream)) total += read_pipe(stream);
    return total;
}

// The run's processes are dead by now. Threads that it has left in the runner may still print; do not wait for them.
void Printout::read_rest() {
    constexpr int most_reads = 64;
    for (std::size_t stream = 0; stream < pipes_.size(); ++stream)
        for (int reads = 0; reads < most_reads && read_pipe(stream) > 0; ++reads) {
        }
}

void Printout::complete(std::istream& out, std::istream& err) {
    read_rest();
    streams_[0].complete(out);
    streams_[1].complete(err);
}

std::size_t Printout::read_pipe(std::size_t stream) {
    std::array<char, 64 * 1024> buffer;
    const ssize_t got = read(pipes_[stream].get(), buffer.data(), buffer.size());
    if (got <= 0) return 0;
    const auto size = static_cast<std::size_t>(got);
    if (lease_ != 0) streams_[stream].add({buffer.data(), size});
    return size;
}

void Printout::add_line(std::string_view line) {
    streams_[2].add(line);
    streams_[2].add("\n");
}

std::size_t Printout::waiting() const {
    return streams_[0].waiting() + streams_[1].waiting() + streams_[2].waiting();
}

std::vector<engine::RunLog> Printout::take(Timestamp now, bool everything) {
    std::vector<engine::RunLog> chunks;
    for (PrintStream& stream : streams_) take_chunks(stream, {.lease = lease_, .at = now}, everything, mask_, chunks);
    for (const engine::RunLog& chunk : chunks) unacknowledged_ += chunk.text.size();
    return chunks;
}

void Printout::acknowledge(std::size_t bytes) {
    unacknowledged_ -= std::min(bytes, unacknowledged_);
}

}  // namespace holdfast::runner
