#include "tests/architecture/source_text.h"

#include <cctype>
#include <regex>
#include <sstream>

namespace holdfast::architecture {

namespace {

/// Walks over C++ text, copying code and blanking the rest.
class Blanker {
public:
    Blanker(std::string_view source, bool keep_strings) : source_(source), keep_strings_(keep_strings) {}

    std::string run() {
        while (at_ < source_.size()) {
            if (looking_at("//"))
                blank_until("\n", 0);
            else if (looking_at("/*"))
                blank_until("*/", 2);
            else if (looking_at("R\"") && !in_word())
                blank_raw_string();
            else if (source_[at_] == '"')
                pass_quoted('"', keep_strings_);
            else if (source_[at_] == '\'' && !in_word())  // else a digit separator
                pass_quoted('\'', false);
            else
                code_ += source_[at_++];
        }
        return code_;
    }

private:
    [[nodiscard]] bool looking_at(std::string_view text) const { return source_.substr(at_).starts_with(text); }
    [[nodiscard]] bool in_word() const {
        return at_ > 0 && (std::isalnum(static_cast<unsigned char>(source_[at_ - 1])) || source_[at_ - 1] == '_');
    }

    void take(bool keep) {
        const char character = source_[at_++];
        code_ += keep || character == '\n' ? character : ' ';
    }

    void blank_until(std::string_view end, std::size_t included) {
        const std::size_t found = std::min(source_.find(end, at_), source_.size());
        const std::size_t stop = std::min(found + included, source_.size());
        while (at_ < stop) take(false);
    }

    void blank_raw_string() {
        const std::size_t open = std::min(source_.find('(', at_), source_.size());
        const std::string end = ")" + std::string(source_.substr(at_ + 2, open - at_ - 2)) + "\"";
        blank_until(end, end.size());
    }

    void pass_quoted(char quote, bool keep) {
        take(keep);
        while (at_ < source_.size() && source_[at_] != quote && source_[at_] != '\n') {
            if (source_[at_] == '\\' && at_ + 1 < source_.size()) take(keep);
            take(keep);
        }
        if (at_ < source_.size()) take(keep);
    }

    std::string_view source_;
    bool keep_strings_;
    std::size_t at_ = 0;
    std::string code_;
};

}  // namespace

std::vector<Include> includes_of(std::string_view source) {
    static const std::regex directive(R"re(^\s*#\s*include\s*["<]([^">]+)[">])re");
    std::istringstream lines(Blanker(source, true).run());
    std::vector<Include> includes;
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        std::smatch match;
        if (std::regex_search(line, match, directive)) includes.push_back({number, match[1]});
    }
    return includes;
}

std::string code_of(std::string_view source) {
    return Blanker(source, false).run();
}

}  // namespace holdfast::architecture
