#include "server/http/answer.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <boost/beast/core/string.hpp>
#include <ctime>
#include <memory>
#include <new>
#include <sstream>
#include <stdexcept>

#include "base/text.h"

namespace holdfast::http {

namespace {

constexpr std::size_t worth_compressing_bytes = 1024;

std::optional<std::string> value_of(const Headers& headers, std::string_view name) {
    for (const auto& [given, value] : headers)
        if (boost::beast::iequals(given, name)) return value;
    return std::nullopt;
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

/// Returns the text in gzip format. Throws std::bad_alloc when memory runs out.
std::string gzip(std::string_view text) {
    constexpr int gzip_window_bits = 15 + 16;
    constexpr int memory_level = 8;
    constexpr int level = 5;  // nearly the size of level 9 in half the time
    z_stream stream = {};
    if (deflateInit2(&stream, level, Z_DEFLATED, gzip_window_bits, memory_level, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::bad_alloc();
    const std::unique_ptr<z_stream, int (*)(z_streamp)> end(&stream, deflateEnd);
    std::string packed(deflateBound(&stream, text.size()), '\0');
    // zlib only reads through next_in, but older versions declare it without const.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::bad_alloc();
    packed.resize(stream.total_out);
    return packed;
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
        tag = tag_of(response.content());
        response.headers.emplace_back("ETag", tag);
    }
    if (names_tag(request.header("if-none-match"), tag)) response.status = 304;
}

void apply_compression(Response& response, const Request& request) {
    const std::string_view content = response.content();
    if (content.size() <= worth_compressing_bytes || !is_text(response.content_type)) return;
    if (value_of(response.headers, "content-encoding")) return;
    response.headers.emplace_back("Vary", "Accept-Encoding");
    if (has_no_body(response.status) || !accepts_encoding(request.header("accept-encoding"), "gzip")) return;
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

bool names_tag(std::string_view if_none_match, std::string_view tag) {
    const auto strong_part = [](std::string_view text) { return text.starts_with("W/") ? text.substr(2) : text; };
    return std::ranges::any_of(split(if_none_match, ','), [&](std::string_view element) {
        const std::string_view name = trimmed(element);
        return name == "*" || (!name.empty() && strong_part(name) == strong_part(tag));
    });
}

// ---- Exchanges ---------------------------------------------------------------------------------------------------

namespace {

std::string line_of(const Request& request) {
    return concat(request.method, " /", join(request.path, "/"));
}

void tell(const Exchange& exchange, int status, const ServerParams& params, Log& log) {
    const auto took = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - exchange.began);
    try {
        params.answered(exchange.request, status, took);
    } catch (const std::exception& error) {
        log.write({LogLevel::Error, "an answered request could not be counted", {{"error", error.what()}}});
    }
}

Answer internal_error(const Exchange& exchange, const char* what, Log& log) {
    log.write({LogLevel::Error,
               "a request failed by a defect of the server",
               {{"request", line_of(exchange.request)}, {"peer", exchange.request.peer}, {"error", what}}});
    Response response = to_response({.status = 500,
                                     .code = "INTERNAL",
                                     .detail = "the request failed by a defect of the server; its log says more"});
    return to_answer(std::move(response), exchange.terms);
}

using Outcome = decltype(Exchange::outcome);

/// Calls the handler and serializes its response; a stream or a deferred reply is passed on.
Outcome outcome_of(Exchange& exchange, const ServerParams& params) {
    Reply reply = params.handle(exchange.request);
    if (auto* stream = std::get_if<EventStream>(&reply)) {
        if (stream->source == nullptr) throw std::logic_error("a stream without a source");
        if (!exchange.terms.head_only) return std::move(*stream);
        reply = Response{.content_type = "text/event-stream"};
    }
    if (auto* deferred = std::get_if<Deferred>(&reply)) {
        if (deferred->reply == nullptr) throw std::logic_error("an answer that never comes");
        return std::move(*deferred);
    }
    return to_answer(std::move(std::get<Response>(reply)), exchange.request, exchange.terms);
}

}  // namespace

void carry_out(Exchange& exchange, const ServerParams& params, Log& log) {
    try {
        exchange.outcome = outcome_of(exchange, params);
    } catch (const std::exception& error) {
        exchange.outcome = internal_error(exchange, error.what(), log);
    } catch (...) {
        exchange.outcome = internal_error(exchange, "of an unknown kind", log);
    }
    if (std::holds_alternative<Deferred>(exchange.outcome)) return;
    const auto* answer = std::get_if<Answer>(&exchange.outcome);
    tell(exchange, answer != nullptr ? answer->status : 200, params, log);
}

Answer answer_with(Response response, const Exchange& exchange, const ServerParams& params, Log& log) {
    tell(exchange, response.status, params, log);
    return to_answer(std::move(response), exchange.terms);
}

}  // namespace holdfast::http
