#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "engine/worker/runners.h"
#include "runner/secrets.h"

namespace holdfast::runner {

/// Tells whether a text begins with an earlier one of which only a hash was kept.
class Fingerprint {
public:
    void add(std::string_view bytes);
    [[nodiscard]] std::size_t size() const { return size_; }
    friend bool operator==(const Fingerprint&, const Fingerprint&) = default;

private:
    std::size_t size_ = 0;
    std::uint64_t hash_ = 0;
};

/// One output stream of a run: keeps the bytes that are not sent yet, up to a cap for the whole run, and the last
/// line.
class PrintStream {
public:
    explicit PrintStream(std::string name) : name_(std::move(name)) {}

    void restart();
    void add(std::string_view bytes);
    /// Adds the bytes of `log` after those that were added already. Adds nothing when `log` begins differently, or
    /// when it has only one more newline, which some engines append.
    void complete(std::istream& log);
    /// The text to send: whole lines, or a part of a line when there is no whole one or with `everything`; never a
    /// part of a character or of a hidden secret.
    [[nodiscard]] std::string take(bool everything, const SecretMask& mask);
    [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
    [[nodiscard]] bool is_over_cap() const { return is_cut_; }
    /// The last line that is not empty, without its newline.
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

inline constexpr std::size_t largest_chunk = 256 * 1024;

/// Takes what the stream has to send (PrintStream::take), in chunks, and adds them to `chunks`.
void take_chunks(PrintStream& stream, const engine::RunLog& like, bool everything, const SecretMask& mask,
                 std::vector<engine::RunLog>& chunks);

/// The output of a run on stdout, stderr and through Context::log, on its way to the worker. At most a window of
/// bytes is unacknowledged, apart from those that complete() adds. When the window is full the pipes are not read, so
/// a run that prints more has to wait.
class Printout {
public:
    static constexpr std::size_t cap = 10'000'000;      ///< bytes per stream and run
    static constexpr std::size_t window = 1024 * 1024;  ///< bytes that are not acknowledged yet

    /// The read ends of the pipes that are the runner's stdout and stderr, not blocking.
    Printout(Descriptor out, Descriptor err);

    void begin(store::Lease lease);
    /// From now to the end of the run these secrets are masked.
    void hide(SecretMask mask) { mask_ = std::move(mask); }
    [[nodiscard]] const SecretMask& mask() const { return mask_; }
    /// Reads the pipes and returns the number of bytes. Between runs the bytes are thrown away.
    std::size_t read_pipes();
    /// The same to the last byte, even beyond the window.
    void read_rest();
    /// Adds the bytes of these logs of the two streams that the pipes did not carry.
    void complete(std::istream& out, std::istream& err);
    /// A line of Context::log.
    void add_line(std::string_view line);
    void end() { lease_ = 0; }

    [[nodiscard]] bool has_room() const { return unacknowledged_ + waiting() < window; }
    [[nodiscard]] bool wants_to_read(std::size_t stream) const;
    [[nodiscard]] int descriptor(std::size_t stream) const { return pipes_[stream].get(); }
    [[nodiscard]] std::size_t waiting() const;
    [[nodiscard]] std::vector<engine::RunLog> take(Timestamp now, bool everything);
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
