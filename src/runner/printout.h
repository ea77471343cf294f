#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "runner/messages.h"
#include "runner/secrets.h"

namespace holdfast::runner {

/// Tells whether a text begins with another one that nobody has kept.
class Fingerprint {
public:
    void add(std::string_view bytes);
    [[nodiscard]] std::size_t size() const { return size_; }
    friend bool operator==(const Fingerprint&, const Fingerprint&) = default;

private:
    std::size_t size_ = 0;
    std::uint64_t hash_ = 0;
};

/// One stream of what a run prints: keeps what is not sent yet, up to a cap for the whole run, and its last line.
class PrintStream {
public:
    explicit PrintStream(std::string name) : name_(std::move(name)) {}

    void restart();
    void add(std::string_view bytes);
    /// Adds what `log` has beyond all that was added. Nothing when it begins otherwise, and so tells of something
    /// else, or has only a newline more, as some engines end what ended without.
    void complete(std::istream& log);
    /// What can be sent: whole lines, unless there is none or `everything` is asked for; never half a character, nor
    /// half of what the mask hides.
    [[nodiscard]] std::string take(bool everything, const SecretMask& mask);
    [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
    [[nodiscard]] bool is_over_cap() const;
    /// The last line that is not empty, without its end.
    [[nodiscard]] const std::string& last_line() const { return line_.empty() ? last_line_ : line_; }
    [[nodiscard]] const std::string& name() const { return name_; }

private:
    void follow_lines(std::string_view bytes);

    std::string name_;
    Fingerprint added_;  // of the whole run, until it is cut
    std::string waiting_;
    std::size_t kept_ = 0;  // bytes, of the whole run
    bool is_cut_ = false;   // the cap was reached, and the marker added
    std::string line_, last_line_;
};

/// What a run prints on stdout, stderr and through Context::log, on its way to the worker. No more than a window of
/// bytes travels unacknowledged, but for what complete() adds: beyond it the pipes are not read, and the run waits
/// when it prints more.
class Printout {
public:
    static constexpr std::size_t cap = 10'000'000;      ///< bytes per stream and run
    static constexpr std::size_t window = 1024 * 1024;  ///< bytes that are not acknowledged yet
    static constexpr std::size_t largest_chunk = 256 * 1024;

    /// The read ends of the pipes that are the runner's stdout and stderr, not blocking.
    Printout(Descriptor out, Descriptor err);

    void begin(store::Lease lease);
    /// From now to the end of the run these are not told to anybody.
    void hide(SecretMask mask) { mask_ = std::move(mask); }
    /// Reads the pipes. How many bytes there were. While no run is on, they are thrown away.
    std::size_t read_pipes();
    /// The same to the last byte, whatever the window.
    void read_rest();
    /// Where the pipes have carried less than these logs of the same two streams have, adds the rest.
    void complete(std::istream& out, std::istream& err);
    /// A line of Context::log.
    void add_line(std::string_view line);
    void end() { lease_ = 0; }

    [[nodiscard]] bool has_room() const { return unacknowledged_ + waiting() < window; }
    [[nodiscard]] bool wants_to_read(std::size_t stream) const;
    [[nodiscard]] int descriptor(std::size_t stream) const { return pipes_[stream].get(); }
    [[nodiscard]] std::size_t waiting() const;
    [[nodiscard]] std::vector<Printed> take(Timestamp now, bool everything);
    void acknowledge(std::size_t bytes);

    [[nodiscard]] const PrintStream& out() const { return streams_[0]; }
    [[nodiscard]] const PrintStream& err() const { return streams_[1]; }

private:
    std::size_t read_pipe(std::size_t stream);

    std::array<Descriptor, 2> pipes_;
    std::array<PrintStream, 3> streams_;
    store::Lease lease_ = 0;
    SecretMask mask_;
    std::size_t unacknowledged_ = 0;
};

}  // namespace holdfast::runner
