#include "cli/terminal/io.h"

#include <fmt/format.h>

#include <utility>

#include "base/assert.h"
#include "base/text.h"
#include "base/utf8.h"

namespace holdfast::cli {

namespace {

bool wants_colour(const Io& io) {
    return io.terminal && io.variable("NO_COLOR").empty() && io.environment.contains("TERM") &&
           io.variable("TERM") != "dumb";
}

std::string_view escape_code(Tone tone) {
    switch (tone) {
        case Tone::Plain:
            return "";
        case Tone::Good:
            return "32";
        case Tone::Bad:
            return "31";
        case Tone::Busy:
            return "36";
        case Tone::Faint:
            return "2";
        case Tone::Strong:
            return "1";
    }
    HOLDFAST_ASSERT(false);
}

}  // namespace

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

std::string Io::variable(const std::string& name) const {
    const auto found = environment.find(name);
    return found == environment.end() ? "" : found->second;
}

std::string paint(const Io& io, Tone tone, std::string_view text) {
    if (tone == Tone::Plain || text.empty() || !wants_colour(io)) return std::string(text);
    return fmt::format("{0}[{1}m{2}{0}[0m", own_escape, escape_code(tone), text);
}

void FieldPrinter::operator()(std::string_view label, const std::string& value, Tone tone) const {
    if (value.empty()) return;
    io_.out << paint(io_, Tone::Faint, fmt::format("{:<12}", label)) << paint(io_, tone, visible_line(value)) << '\n';
}

}  // namespace holdfast::cli
