#pragma once

#include <map>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace holdfast::cli {

/// Stands for ESC in the program's own terminal sequences: colours and cursor movement. This byte never occurs in
/// valid UTF-8.
inline constexpr char own_escape = '\xff';

/// Writes text through visible_text(), so that content from a store, a file or a command line cannot control the
/// terminal. Buffers at most the beginning of a character. For one thread at a time.
class VisibleStream : public std::ostream {
public:
    /// `to` must outlive this object.
    explicit VisibleStream(std::ostream& to) : std::ostream(nullptr), buffer_(*to.rdbuf()) { rdbuf(&buffer_); }

private:
    class Buffer : public std::streambuf {
    public:
        explicit Buffer(std::streambuf& to) : to_(to) {}
        ~Buffer() override;
        Buffer(const Buffer&) = delete;
        Buffer& operator=(const Buffer&) = delete;

    protected:
        int_type overflow(int_type character) override;
        std::streamsize xsputn(const char* bytes, std::streamsize count) override;
        int sync() override { return to_.pubsync(); }

    private:
        bool pass_on(std::string_view text);

        std::streambuf& to_;
        std::string begun_;  // the first bytes of an incomplete character
    };
    Buffer buffer_;
};

/// The environment of one run of the program, apart from the store and the configuration file.
struct Io {
    std::istream& in;
    std::ostream& out;  ///< a VisibleStream, as is `err`
    std::ostream& err;
    std::ostream& raw;  ///< the target of `out`: takes bytes unchanged
    std::map<std::string, std::string> environment;
    bool terminal = false;  ///< `out` is a terminal: print for a person

    /// The value of an environment variable; empty when it is not set.
    [[nodiscard]] std::string variable(const std::string& name) const;
};

/// The exit code of the process. Documented in docs/cli.md; scripts rely on it.
enum class ExitCode {
    Done = 0,
    Failed = 1,     ///< the requested action did not succeed
    BadUsage = 2,   ///< bad usage or configuration; the action was not attempted
    StoreDown = 3,  ///< the store could not be reached or used
};

enum class Tone { Plain, Good, Bad, Busy, Faint, Strong };

/// The text in colour, on a terminal that supports it (see NO_COLOR, TERM=dumb); else unchanged.
[[nodiscard]] std::string paint(const Io& io, Tone tone, std::string_view text);

/// Prints the properties of one object: a label and a value per line. Empty values are left out.
class FieldPrinter {
public:
    explicit FieldPrinter(const Io& io) : io_(io) {}
    void operator()(std::string_view label, const std::string& value, Tone tone = Tone::Plain) const;

private:
    const Io& io_;
};

}  // namespace holdfast::cli
