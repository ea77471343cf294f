#pragma once

#include <ostream>
#include <streambuf>
#include <string>

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

}  // namespace holdfast::cli
