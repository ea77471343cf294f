#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace holdfast::cli {

/// Stands for ESC in what the program itself has to tell a terminal: colours, and where the cursor goes. No text in
/// UTF-8 has this byte.
inline constexpr char own_escape = '\xff';

/// Passes on what is written to it as visible_text(): nothing that comes from a store, a file or a command line can
/// make the terminal do anything. Keeps no text back, except the beginning of a character. For one thread at a time.
class VisibleStream : public std::ostream {
public:
    /// `to` outlives it.
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
        std::string begun_;  // the first bytes of a character whose rest has not been written yet
    };
    Buffer buffer_;
};

}  // namespace holdfast::cli
