#include "server/http/answer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <optional>

#include "base/text.h"
#include "server/http/gzip.h"
#include "server/http/problem.h"

namespace holdfast::http {

namespace {

constexpr std::size_t worth_compressing_bytes = 1024;

using Headers = std::vector<std::pair<std::string, std::string>>;

bool equal_but_for_case(std::string_view left, std::string_view right) {
    return std::ranges::equal(left, right,
                              [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
}

std::optional<std::string> value_of(const Headers& headers, std::string_view name) {
    for (const auto& [given, value] : headers)
        if (equal_but_for_case(given, name)) return value;
    return std::nullopt;
}

/// Calls `visit` for each element of a comma-separated list until it returns true. Returns whether it did.
template <typename Visit>
bool any_element(std::string_view list, Visit visit) {
    while (!list.empty()) {
        const std::size_t comma = list.find(',');
        if (visit(trimmed(list.substr(0, comma)))) return true;
        list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    }
    return false;
}

std::string http_date() {
    const std::time_t now = std::time(nullptr);
    std::tm parts = {};
    gmtime_r(&now, &parts);
    std::array<char, 64> text = {};
    return std::string(text.data(), std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts));
}

/// Returns an ETag: the 64-bit FNV-1a hash of the content. It is weak, because the same content may be sent with or
/// without compression.
std::string tag_of(std::string_view content) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char character : content) hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3U;
    std::ostringstream tag;
    tag << "W/\"" << std::hex << hash << '"';
    return tag.str();
}

bool is_text(std::string_view content_type) {
    const std::string_view type = trimmed(content_type.substr(0, content_type.find(';')));
    return type.starts_with("text/") || type == "application/json" || type == "application/problem+json" ||
           type == "application/javascript" || type == "image/svg+xml";
}

bool has_no_body(int status) {
    return status == 204 || status == 304 || status < 200;
}

/// Writes the head of an answer line by line.
class HeadWriter {
public:
    explicit HeadWriter(int status) : head_(concat("HTTP/1.1 ", status, " ", reason_of(status), "\r\n")) {
        add("Date", http_date());
    }

    void add(std::string_view name, std::string_view value) {
        head_ += one_line(name);
        head_ += ": ";
        head_ += one_line(value);
        head_ += "\r\n";
    }

    /// Adds the handler's headers, and each common header that the handler has not set.
    void add_common(const Headers& headers, bool secure) {
        for (const auto& [name, value] : headers) add(name, value);
        add_unless_set(headers, "X-Content-Type-Options", "nosniff");
        add_unless_set(headers, "Referrer-Policy", "no-referrer");
        add_unless_set(headers, "X-Frame-Options", "DENY");
        add_unless_set(headers, "Cache-Control", "no-store");
        if (secure) add_unless_set(headers, "Strict-Transport-Security", "max-age=31536000");
    }

    std::string finish() { return std::move(head_) + "\r\n"; }

private:
    void add_unless_set(const Headers& headers, std::string_view name, std::string_view value) {
        if (!value_of(headers, name)) add(name, value);
    }

    std::string head_;
};

/// Turns the response into a 304 when the client has this version already; otherwise adds the ETag for its next
/// request.
void apply_tag(Response& response, const Request& request) {
    if (request.method != "GET" || response.status != 200) return;
    std::string tag = value_of(response.headers, "etag").value_or("");
    if (tag.empty()) {
        tag = tag_of(response.embedded.empty() ? std::string_view(response.body) : response.embedded);
        response.headers.emplace_back("ETag", tag);
    }
    if (names_tag(request.header("if-none-match"), tag)) response.status = 304;
}

void apply_compression(Response& response, const Request& request) {
    const std::string_view content = response.embedded.empty() ? std::string_view(response.body) : response.embedded;
    if (content.size() <= worth_compressing_bytes || !is_text(response.content_type)) return;
    if (value_of(response.headers, "content-encoding")) return;
    response.headers.emplace_back("Vary", "Accept-Encoding");
    if (has_no_body(response.status) || !accepts_gzip(request.header("accept-encoding"))) return;
    response.body = gzip(content);
    response.embedded = {};
    response.headers.emplace_back("Content-Encoding", "gzip");
}

}  // namespace

Answer to_answer(Response response, const Request& request, const AnswerTerms& terms) {
    apply_tag(response, request);
    apply_compression(response, request);
    return to_answer(std::move(response), terms);
}

Answer to_answer(Response response, const AnswerTerms& terms) {
    Answer answer;
    answer.status = response.status;
    answer.body = std::move(response.body);
    answer.embedded = response.embedded;
    HeadWriter head(response.status);
    if (!has_no_body(response.status)) {
        if (!response.content_type.empty()) head.add("Content-Type", response.content_type);
        head.add("Content-Length", std::to_string(answer.payload().size()));
    }
    head.add_common(response.headers, terms.secure);
    if (!terms.keeps_alive) head.add("Connection", "close");
    answer.head = head.finish();
    if (has_no_body(response.status) || terms.head_only) {
        answer.body.clear();
        answer.embedded = {};
    }
    return answer;
}

std::string stream_head(const EventStream& stream, bool secure) {
    HeadWriter head(200);
    head.add("Content-Type", "text/event-stream");
    head.add("X-Accel-Buffering", "no");  // a proxy must forward each message at once
    head.add_common(stream.headers, secure);
    head.add("Connection", "close");
    return head.finish();
}

std::string to_stream_text(const std::vector<ServerSentEvent>& events) {
    std::string text;
    for (const ServerSentEvent& event : events) {
        if (!event.event.empty()) text += concat("event: ", one_line(event.event), "\n");
        if (!event.id.empty()) text += concat("id: ", one_line(event.id), "\n");
        text += concat("data: ", one_line(event.data), "\n\n");
    }
    return text;
}

bool accepts_gzip(std::string_view accept_encoding) {
    return any_element(accept_encoding, [](std::string_view element) {
        const std::size_t semicolon = element.find(';');
        if (!equal_but_for_case(trimmed(element.substr(0, semicolon)), "gzip")) return false;
        if (semicolon == std::string_view::npos) return true;
        const std::string_view weight = trimmed(element.substr(semicolon + 1));
        return !weight.starts_with("q=0") || weight.find_first_of("123456789") != std::string_view::npos;
    });
}

bool names_tag(std::string_view if_none_match, std::string_view tag) {
    const auto strong_part = [](std::string_view text) { return text.starts_with("W/") ? text.substr(2) : text; };
    return any_element(if_none_match, [&](std::string_view element) {
        return element == "*" || (!element.empty() && strong_part(element) == strong_part(tag));
    });
}

}  // namespace holdfast::http
