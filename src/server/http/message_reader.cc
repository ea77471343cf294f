#include "server/http/message_reader.h"

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>

#include "base/text.h"
#include "holdfast/errors.h"
#include "server/http/target.h"

namespace holdfast::http {

namespace {

using boost::beast::error_code;
using ParserError = boost::beast::http::error;

constexpr std::size_t max_fields = 100;
constexpr std::size_t max_chunk_header_bytes = 4096;  // for chunk sizes, extensions and trailers
constexpr std::size_t max_event_bytes = 16 << 20;

/// Parses until the message is complete, more bytes are needed, or an error is found. Returns how many bytes it used.
template <typename Parser>
std::size_t put_all(Parser& parser, std::string_view bytes, error_code& ec) {
    std::size_t used = 0;
    while (used < bytes.size() && !parser.is_done()) {
        const std::string_view rest = bytes.substr(used);
        // An incomplete last chunk is held back until more bytes arrive: the parser would consume its first three
        // bytes and then assert that the final two arrive together.
        const bool is_cut_last_chunk = rest.size() < 5 && rest.starts_with("0\r\n");
        if (is_cut_last_chunk && parser.is_header_done() && parser.chunked()) break;
        const std::size_t taken = parser.put(boost::asio::buffer(rest), ec);
        used += taken;
        if (ec || taken == 0) break;
    }
    return used;
}

template <typename Fields>
Headers headers_of(const Fields& fields) {
    Headers headers;
    for (const auto& field : fields)
        headers.emplace_back(lower_case(field.name_string()), std::string(field.value()));
    return headers;
}

/// Returns the number of bytes of the empty lines before a request; some clients send an extra one after a body.
std::size_t blank_lines(std::string_view bytes) {
    std::size_t length = 0;
    while (bytes.substr(length).starts_with("\r\n")) length += 2;
    return length;
}

std::size_t count_of(const Request& request, std::string_view name) {
    return static_cast<std::size_t>(std::ranges::count(request.headers, name, &Headers::value_type::first));
}

/// Returns the defect of the header as a whole, once each of its lines is well-formed; nullopt when it is valid.
std::optional<std::string> header_defect(const Request& request, unsigned version) {
    constexpr std::array single = {"host",         "content-length", "transfer-encoding",
                                   "content-type", "authorization",  "expect"};
    if (version != 10 && version != 11) return "only HTTP/1.1 and HTTP/1.0 are spoken here";
    for (const char* name : single)
        if (count_of(request, name) > 1) return concat("the header has more than one ", name);
    if (version == 11 && count_of(request, "host") == 0) return "the header has no host";
    if (const auto encoding = request.header("transfer-encoding"); count_of(request, "transfer-encoding") > 0) {
        if (version == 10 || lower_case(encoding) != "chunked")
            return "the only transfer-encoding accepted is chunked, of HTTP/1.1";
        if (count_of(request, "content-length") > 0)
            return "the header has both a content-length and a transfer-encoding";
    }
    if (request.header("content-length").find_first_not_of("0123456789") != std::string_view::npos)
        return "the content-length is not a number";
    for (const auto& [name, value] : request.headers)
        if (const auto defect = text_defect(value)) return concat("the value of ", name, " ", *defect);
    return std::nullopt;
}

}  // namespace

// ---- Requests ----------------------------------------------------------------------------------------------------

RequestReader::RequestReader(const Limits& limits) : limits_(limits) {
    parser_.header_limit(static_cast<std::uint32_t>(limits.max_header_bytes + 4));
    parser_.body_limit(limits.max_body_bytes);
}

std::size_t RequestReader::feed(std::string_view bytes) {
    std::size_t used = 0;
    if (state_ == State::Head) used = feed_head(bytes);
    if (state_ == State::Body) used += feed_body(bytes.substr(used));
    return used;
}

void RequestReader::refuse(Problem problem) {
    if (state_ == State::Refused) return;
    state_ = State::Refused;
    problem_ = std::move(problem);
}

void RequestReader::refuse(int status, const char* code, std::string detail) {
    refuse({.status = status, .code = code, .detail = std::move(detail)});
}

void RequestReader::refuse_long_target() {
    refuse(414, "TARGET_TOO_LONG",
           concat("path and query are longer than the ", limits_.max_target_bytes, " bytes allowed"));
}

void RequestReader::refuse_by_parser(const error_code& ec, std::string_view what) {
    if (ec == ParserError::body_limit)
        refuse(413, "TOO_LARGE", concat("the body is larger than the ", limits_.max_body_bytes, " bytes allowed"));
    else
        refuse_malformed(concat(what, " is not well-formed: ", ec.message()));
}

std::size_t RequestReader::feed_head(std::string_view bytes) {
    const std::size_t blank = scanned_ == 0 ? blank_lines(bytes) : 0;
    bytes.remove_prefix(blank);
    if (bytes == "\r") return blank;  // perhaps the first half of another blank line
    scan_head(bytes);
    refuse_long_head(head_end_ == 0 ? bytes : bytes.substr(0, head_end_));
    if (state_ == State::Refused || head_end_ == 0) return blank;
    read_head(bytes.substr(0, head_end_));
    return blank + head_end_;
}

/// Checks each byte once for forbidden characters and for the empty line that ends the head.
void RequestReader::scan_head(std::string_view bytes) {
    for (; scanned_ < bytes.size() && head_end_ == 0; ++scanned_) {
        const std::string_view until_here = bytes.substr(0, scanned_ + 1);
        const char byte = until_here.back();
        const char before = scanned_ > 0 ? bytes[scanned_ - 1] : '\0';
        if (byte == '\0') return refuse_malformed("the header contains a NUL byte");
        if ((byte == '\n') != (before == '\r'))
            return refuse_malformed("lines of the header must end with CR LF, and contain neither alone");
        if ((byte == ' ' || byte == '\t') && before == '\n')
            return refuse_malformed("a line of the header begins with a space: folded lines are not accepted");
        if (until_here.ends_with("\r\n\r\n")) head_end_ = until_here.size();
    }
}

void RequestReader::refuse_long_head(std::string_view bytes) {
    constexpr std::size_t rest_of_the_line = 64;  // method, version, spaces
    const std::size_t line = std::min(bytes.find('\r'), bytes.size());
    if (line > limits_.max_target_bytes + rest_of_the_line)
        refuse_long_target();
    else if (bytes.size() > limits_.max_header_bytes)
        refuse(431, "HEADERS_TOO_LARGE",
               concat("the header is larger than the ", limits_.max_header_bytes, " bytes allowed"));
}

void RequestReader::read_head(std::string_view head) {
    error_code ec;
    parser_.put(boost::asio::buffer(head), ec);
    request_.method = parser_.get().method_string();
    request_.headers = headers_of(parser_.get());
    if (ec)
        refuse_by_parser(ec, "this HTTP request");
    else
        accept_head();
}

void RequestReader::accept_head() {
    const std::string_view target = parser_.get().target();
    if (target.size() > limits_.max_target_bytes) return refuse_long_target();
    if (request_.headers.size() > max_fields)
        return refuse(431, "HEADERS_TOO_LARGE", concat("the header has more than ", max_fields, " fields"));
    if (const auto defect = header_defect(request_, parser_.get().version())) return refuse_malformed(*defect);
    const std::string expectation = lower_case(request_.header("expect"));
    if (!expectation.empty() && expectation != "100-continue")
        return refuse(417, "BAD_REQUEST", "the only expectation that can be met is 100-continue");
    if (const auto defect = read_target(target, request_))
        return refuse_malformed(concat("the target of the request ", *defect));
    state_ = parser_.is_done() ? State::Complete : State::Body;
}

std::size_t RequestReader::feed_body(std::string_view bytes) {
    error_code ec;
    const std::size_t used = put_all(parser_, bytes, ec);
    if (ec && ec != ParserError::need_more)
        refuse_by_parser(ec, "the body");
    else if (ec && bytes.size() - used > max_chunk_header_bytes)
        refuse_malformed("a chunk of the body has too long a header");
    else if (parser_.is_done())
        state_ = State::Complete;
    return used;
}

bool RequestReader::wants_continue() const {
    return state_ == State::Body && parser_.get().version() == 11 && !request_.header("expect").empty() &&
           body_bytes() == 0;
}

bool RequestReader::keeps_alive() const {
    return state_ == State::Complete && parser_.get().version() == 11 && parser_.keep_alive();
}

Request RequestReader::take() {
    request_.body = parser_.release().body();
    if (wants_head_only()) request_.method = "GET";
    return std::move(request_);
}

// ---- Answers -----------------------------------------------------------------------------------------------------

ResponseReader::ResponseReader(bool is_to_head, std::size_t max_body_bytes) {
    parser_.header_limit(64 * 1024);
    parser_.body_limit(max_body_bytes);
    parser_.skip(is_to_head);
}

std::size_t ResponseReader::feed(std::string_view bytes) {
    error_code ec;
    const std::size_t used = put_all(parser_, bytes, ec);
    if (ec && ec != ParserError::need_more)
        throw Unusable(concat("the server's answer cannot be understood: ", ec.message()));
    return used;
}

bool ResponseReader::end() {
    error_code ec;
    if (!parser_.is_done() && parser_.got_some()) parser_.put_eof(ec);
    return !ec && parser_.is_done();
}

Headers ResponseReader::headers() const {
    return headers_of(parser_.get());
}

// ---- Event streams ------------------------------------------------------------------------------------------------

std::vector<ServerSentEvent> EventReader::feed(std::string_view bytes) {
    std::vector<ServerSentEvent> complete;
    rest_ += bytes;
    std::size_t begin = 0;
    for (std::size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', begin)) {
        std::string_view line = std::string_view(rest_).substr(begin, end - begin);
        if (line.ends_with('\r')) line.remove_suffix(1);
        read_line(line, complete);
        begin = end + 1;
    }
    rest_.erase(0, begin);
    if (rest_.size() + event_.data.size() > max_event_bytes)
        throw Unusable("the server's stream has a message that is too large");
    return complete;
}

void EventReader::read_line(std::string_view line, std::vector<ServerSentEvent>& complete) {
    if (line.empty()) {
        if (std::exchange(has_data_, false)) complete.push_back(std::move(event_));
        event_ = {};
        return;
    }
    const std::size_t colon = line.find(':');
    const std::string_view name = line.substr(0, colon);
    std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (name == "event") event_.event = value;
    if (name == "id") event_.id = value;
    if (name == "data") {
        if (std::exchange(has_data_, true)) event_.data += '\n';
        event_.data += value;
    }
}

}  // namespace holdfast::http
