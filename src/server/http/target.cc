#include "server/http/target.h"

#include <charconv>

#include "base/text.h"

namespace holdfast::http {

namespace {

/// Parses a target and keeps the first defect; the result of later steps is then ignored.
class TargetReader {
public:
    explicit TargetReader(Request& request) : request_(request) {}

    std::optional<std::string> read(std::string_view target) {
        check_characters(target);
        const std::size_t question = target.find('?');
        read_path(target.substr(0, question));
        if (question != std::string_view::npos) read_query(target.substr(question + 1));
        if (defect_) {
            request_.path.clear();
            request_.query.clear();
        }
        return defect_;
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
                const std::string_view digits = text.substr(at + 1, 2);
                unsigned char byte = 0;
                const char* const end = std::from_chars(digits.begin(), digits.end(), byte, 16).ptr;
                if (digits.size() < 2 || end != digits.end())
                    return complain("has a % without two hexadecimal digits"), decoded;
                decoded += static_cast<char>(byte);
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
        if (path == "/") return;
        for (const std::string_view segment : split(path.substr(1), '/')) add_segment(decode(segment, false));
    }

    void add_segment(std::string segment) {
        if (segment.empty()) complain("has an empty segment in its path");
        if (segment == "." || segment == "..") complain("has a segment . or .. in its path");
        request_.path.push_back(std::move(segment));
    }

    void read_query(std::string_view query) {
        for (const std::string_view pair : split(query, '&'))
            if (!pair.empty()) add_parameter(pair);
    }

    void add_parameter(std::string_view pair) {
        const std::size_t equals = pair.find('=');
        std::string name = decode(pair.substr(0, equals), true);
        std::string value = equals == std::string_view::npos ? "" : decode(pair.substr(equals + 1), true);
        if (!request_.query.emplace(std::move(name), std::move(value)).second)
            complain("has the same query parameter twice");
    }

    Request& request_;
    std::optional<std::string> defect_;
};

}  // namespace

std::optional<std::string> read_target(std::string_view target, Request& request) {
    return TargetReader(request).read(target);
}

}  // namespace holdfast::http
