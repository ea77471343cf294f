#include "cli/terminal/visible_stream.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "base/visible_text.h"

namespace holdfast::cli {

VisibleStream::Buffer::~Buffer() {
    pass_on(begun_);
}

VisibleStream::Buffer::int_type VisibleStream::Buffer::overflow(int_type character) {
    if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
    const char byte = traits_type::to_char_type(character);
    return xsputn(&byte, 1) == 1 ? character : traits_type::eof();
}

std::streamsize VisibleStream::Buffer::xsputn(const char* bytes, std::streamsize count) {
    std::string text = std::exchange(begun_, {});
    text.append(bytes, static_cast<std::size_t>(count));
    const std::size_t whole = text.size() - unfinished_character(text);
    begun_ = text.substr(whole);
    text.resize(whole);
    return pass_on(text) ? count : 0;
}

bool VisibleStream::Buffer::pass_on(std::string_view text) {
    std::string shown;
    while (true) {
        const std::size_t end = std::min(text.find(own_escape), text.size());
        shown += visible_text(text.substr(0, end));
        if (end == text.size()) break;
        shown += '\033';
        text.remove_prefix(end + 1);
    }
    const auto size = static_cast<std::streamsize>(shown.size());
    return to_.sputn(shown.data(), size) == size;
}

}  // namespace holdfast::cli
