#include "server/http/target.h"

#include <optional>

#include "base/text.h"

namespace holdfast::http {

namespace {

int hex_digit(char character) {
    if (character >= '0' && character <= '9') return character - '0';
    if (character >= 'a' && character <= 'f') return character - 'a' + 10;
    if (character >= 'A' && character <= 'F') return character - 'A' + 10;
    return -1;
}

/// Parses a target and keeps the first defect; the result of later steps is then ignored.
class TargetReader {
public:
    std::variant<Target, TargetDefect> read(std::string_view target) {
        check_characters(target);
        const std::size_t question = target.find('?');
        read_path(target.substr(0, question));
        if (question != std::string_view::npos) read_query(target.substr(question + 1));
        if (defect_) return TargetDefect{*defect_};
        return std::move(read_);
    }

private:
    void complain(std::string what) {
        if (!defect_) defect_ = std::move(what);
    }

    void check_characters(std::string_view target) {
        for (const char character : target) {
            const auto byte = static_cast<unsigned char>(character);
            if (byte <= ' ' || byte == 0x7f || byte == '#')
                return complain("contains a space, a control character or a fragment");
        }
    }

    std::string decode(std::string_view text, bool plus_is_space) {
        std::string decoded;
        decoded.reserve(text.size());
        for (std::size_t at = 0; at < text.size(); ++at) {
            if (text[at] == '%') {
                const int high = at + 2 < text.size() ? hex_digit(text[at + 1]) : -1;
                const int low = at + 2 < text.size() ? hex_digit(text[at + 2]) : -1;
                if (high < 0 || low < 0) return complain("has a % without two hexadecimal digits"), decoded;
                decoded += static_cast<char>(high * 16 + low);
                at += 2;
            } else {
                decoded += plus_is_space && text[at] == '+' ? ' ' : text[at];
            }
        }
        if (const auto defect = text_defect(decoded)) complain(concat(*defect, " once it is decoded"));
        return decoded;
    }

    void read_path(std::string_view path) {
        if (!path.starts_with('/')) return complain("does not begin with a slash");
        path.remove_prefix(1);
        while (!path.empty() && !defect_) {
            const std::size_t slash = path.find('/');
            add_segment(decode(path.substr(0, slash), false));
            if (slash == path.size() - 1) complain("has an empty segment in its path");
            path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
        }
    }

    void add_segment(std::string segment) {
        if (segment.empty()) complain("has an empty segment in its path");
        if (segment == "." || segment == "..") complain("has a segment . or .. in its path");
        read_.path.push_back(std::move(segment));
    }

    void read_query(std::string_view query) {
        while (!query.empty() && !defect_) {
            const std::size_t end = query.find('&');
            const std::string_view pair = query.substr(0, end);
            if (!pair.empty()) add_parameter(pair);
            query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
        }
    }

    void add_parameter(std::string_view pair) {
        const std::size_t equals = pair.find('=');
        std::string name = decode(pair.substr(0, equals), true);
        std::string value = equals == std::string_view::npos ? "" : decode(pair.substr(equals + 1), true);
        if (!read_.query.emplace(std::move(name), std::move(value)).second)
            complain("has the same query parameter twice");
    }

    Target read_;
    std::optional<std::string> defect_;
};

}  // namespace

std::variant<Target, TargetDefect> parse_target(std::string_view target) {
    return TargetReader().read(target);
}

}  // namespace holdfast::http
