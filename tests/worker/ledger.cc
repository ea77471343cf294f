#include "tests/worker/ledger.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "base/descriptor.h"
#include "tests/worker/patience.h"

namespace holdfast::worker_test {

namespace {

Descriptor open_for_appending(const std::string& path) {
    Descriptor file(open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
    if (!file) throw std::system_error(errno, std::generic_category(), path);
    return file;
}

/// A change that came before it was made is not told: look at the file after making it.
Descriptor watch_file(const std::string& path) {
    Descriptor watch(inotify_init1(IN_CLOEXEC));
    if (inotify_add_watch(watch.get(), path.c_str(), IN_MODIFY) < 0)
        throw std::system_error(errno, std::generic_category(), path);
    return watch;
}

}  // namespace

Ledger::Ledger(std::string path) : path_(std::move(path)) {
    open_for_appending(path_);
}

void Ledger::append(const LedgerLine& line) const {
    std::ostringstream text;
    text << (line.what == LedgerLine::What::Begin ? "begin " : "end ") << line.task << ' ' << line.lease << ' '
         << line.attempt << ' ' << line.pid << '\n';
    const std::string bytes = text.str();
    const Descriptor file = open_for_appending(path_);
    if (write(file.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()) || fsync(file.get()) != 0)
        throw std::system_error(errno, std::generic_category(), path_);
}

Ledger::Lines Ledger::lines() const {
    std::ifstream file(path_);
    Lines lines;
    LedgerLine line;
    for (std::string what; file >> what >> line.task >> line.lease >> line.attempt >> line.pid;) {
        line.what = what == "begin" ? LedgerLine::What::Begin : LedgerLine::What::End;
        lines.push_back(line);
    }
    return lines;
}

Ledger::Lines Ledger::wait_until(const std::function<bool(const Lines&)>& wanted, const std::string& what) const {
    const Descriptor watch = watch_file(path_);
    const Deadline deadline("the ledger: " + what);
    while (true) {
        Lines now = lines();
        if (wanted(now)) return now;
        pollfd changed{watch.get(), POLLIN, 0};
        poll(&changed, 1, deadline.milliseconds_left());
        std::array<char, 4096> events;
        if (changed.revents != 0) [[maybe_unused]]
            const auto got = read(watch.get(), events.data(), events.size());
    }
}

std::size_t count(const Ledger::Lines& lines, LedgerLine::What what) {
    return static_cast<std::size_t>(
        std::ranges::count_if(lines, [&](const LedgerLine& line) { return line.what == what; }));
}

Ledger::Lines lines_of(const Ledger::Lines& lines, const std::string& task, LedgerLine::What what) {
    Ledger::Lines found;
    std::ranges::copy_if(lines, std::back_inserter(found),
                         [&](const LedgerLine& line) { return line.task == task && line.what == what; });
    return found;
}

}  // namespace holdfast::worker_test
