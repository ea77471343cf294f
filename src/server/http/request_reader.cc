#include "server/http/request_reader.h"

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/optional.hpp>

#include "base/text.h"
#include "server/http/chunked.h"
#include "server/http/target.h"

namespace holdfast::http {

namespace beast = boost::beast;
using beast::error_code;

namespace {

constexpr std::size_t max_fields = 100;
constexpr std::size_t max_chunk_header_bytes = 4096;  // for chunk sizes, extensions and trailers

std::string to_text(beast::string_view view) {
    return std::string(view.data(), view.size());
}

/// Returns the number of bytes of the empty lines before a request; some clients send an extra one after a body.
std::size_t blank_lines(std::string_view bytes) {
    std::size_t length = 0;
    while (bytes.substr(length).starts_with("\r\n")) length += 2;
    return length;
}

}  // namespace

/// Collects the parts of a request that Beast's parser reports.
class RequestReader::Parser final : public beast::http::basic_parser<true> {
public:
    explicit Parser(const Limits& limits) : max_body_bytes_(limits.max_body_bytes) {
        header_limit(static_cast<std::uint32_t>(limits.max_header_bytes + 4));
        body_limit(limits.max_body_bytes);
        eager(false);
    }

    Request request;
    std::string target;
    int version = 0;
    std::size_t fields = 0;

private:
    void on_request_impl(beast::http::verb /*method*/, beast::string_view method, beast::string_view raw_target,
                         int http_version, error_code& ec) override {
        request.method = to_text(method);
        target = to_text(raw_target);
        version = http_version;
        ec = {};
    }
    void on_response_impl(int, beast::string_view, int, error_code& ec) override { ec = {}; }
    void on_field_impl(beast::http::field /*known*/, beast::string_view name, beast::string_view value,
                       error_code& ec) override {
        ec = {};
        if (has_header_) return;  // trailers are ignored
        if (++fields <= max_fields) request.headers.emplace_back(lower_case(to_text(name)), to_text(value));
    }
    void on_header_impl(error_code& ec) override {
        has_header_ = true;
        ec = {};
    }
    void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code& ec) override { ec = {}; }
    std::size_t on_body_impl(beast::string_view piece, error_code& ec) override { return add_body(piece, ec); }
    void on_chunk_header_impl(std::uint64_t, beast::string_view, error_code& ec) override { ec = {}; }
    std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view piece, error_code& ec) override {
        return add_body(piece, ec);
    }
    void on_finish_impl(error_code& ec) override { ec = {}; }

    std::size_t add_body(beast::string_view piece, error_code& ec) {
        ec = {};
        if (request.body.size() + piece.size() > max_body_bytes_) {
            ec = beast::http::error::body_limit;
            return 0;
        }
        request.body.append(piece.data(), piece.size());
        return piece.size();
    }

    const std::size_t max_body_bytes_;
    bool has_header_ = false;
};

RequestReader::RequestReader(const Limits& limits) : limits_(limits), parser_(std::make_unique<Parser>(limits)) {}
RequestReader::~RequestReader() = default;

RequestReader::State RequestReader::state() const {
    return state_;
}

const Problem& RequestReader::problem() const {
    return problem_;
}

void RequestReader::refuse(Problem problem) {
    if (state_ == State::Refused) return;
    state_ = State::Refused;
    problem_ = std::move(problem);
}

void RequestReader::refuse(int status, const char* code, std::string detail) {
    refuse({.status = status, .code = code, .detail = std::move(detail)});
}

std::size_t RequestReader::feed(std::string_view bytes) {
    std::size_t used = 0;
    if (state_ == State::Head) used = feed_head(bytes);
    if (state_ == State::Body) used += feed_body(bytes.substr(used));
    return used;
}

// ---- The head ----------------------------------------------------------------------------------------------------

std::size_t RequestReader::feed_head(std::string_view bytes) {
    const std::size_t blank = scanned_ == 0 ? blank_lines(bytes) : 0;
    return blank + feed_head_line(bytes.substr(blank));
}

std::size_t RequestReader::feed_head_line(std::string_view bytes) {
    if (bytes == "\r") return 0;  // perhaps the first half of a blank line
    scan_head(bytes);
    refuse_long_head(head_end_ == 0 ? bytes : bytes.substr(0, head_end_));
    if (state_ == State::Refused || head_end_ == 0) return 0;
    read_head(bytes.substr(0, head_end_));
    return head_end_;
}

void RequestReader::read_head(std::string_view head) {
    error_code ec;
    parser_->put(boost::asio::buffer(head.data(), head.size()), ec);
    if (ec == beast::http::error::body_limit)
        refuse(413, "TOO_LARGE", concat("the body is larger than the ", limits_.max_body_bytes, " bytes allowed"));
    else if (ec)
        refuse(400, "BAD_REQUEST", concat("this is not a well-formed HTTP request: ", ec.message()));
    else
        accept_head();
}

/// Checks each byte once for forbidden characters and for the empty line that ends the head.
void RequestReader::scan_head(std::string_view bytes) {
    for (; scanned_ < bytes.size() && head_end_ == 0; ++scanned_) {
        const std::string_view until_here = bytes.substr(0, scanned_ + 1);
        const char byte = until_here.back();
        const bool follows_return = scanned_ > 0 && bytes[scanned_ - 1] == '\r';
        if (byte == '\0') return refuse(400, "BAD_REQUEST", "the header contains a NUL byte");
        if ((byte == '\n') != follows_return)
            return refuse(400, "BAD_REQUEST", "lines of the header must end with CR LF, and contain neither alone");
        if ((byte == ' ' || byte == '\t') && scanned_ > 0 && bytes[scanned_ - 1] == '\n')
            return refuse(400, "BAD_REQUEST",
                          "a line of the header begins with a space: folded lines are not accepted");
        if (until_here.ends_with("\r\n\r\n")) head_end_ = until_here.size();
    }
}

void RequestReader::refuse_long_head(std::string_view bytes) {
    constexpr std::size_t rest_of_the_line = 64;  // method, version, spaces
    const std::size_t line = std::min(bytes.find('\r'), bytes.size());
    if (line > limits_.max_target_bytes + rest_of_the_line)
        refuse(414, "TARGET_TOO_LONG",
               concat("path and query are longer than the ", limits_.max_target_bytes, " bytes allowed"));
    else if (bytes.size() > limits_.max_header_bytes)
        refuse(431, "HEADERS_TOO_LARGE",
               concat("the header is larger than the ", limits_.max_header_bytes, " bytes allowed"));
}

namespace {

std::size_t count_of(const Request& request, std::string_view name) {
    return static_cast<std::size_t>(
        std::ranges::count(request.headers, name, [](const auto& field) { return std::string_view(field.first); }));
}

/// Returns the defect of the header as a whole, once each of its lines is well-formed; nullopt when it is valid.
std::optional<std::string> header_defect(const Request& request, int version) {
    constexpr std::array single = {"host",         "content-length", "transfer-encoding",
                                   "content-type", "authorization",  "expect"};
    if (version != 10 && version != 11) return "only HTTP/1.1 and HTTP/1.0 are spoken here";
    for (const char* name : single)
        if (count_of(request, name) > 1) return concat("the header has more than one ", name);
    if (version == 11 && count_of(request, "host") == 0) return "the header has no host";
    if (const auto encoding = request.header("transfer-encoding"); count_of(request, "transfer-encoding") > 0) {
        if (version == 10 || lower_case(std::string(encoding)) != "chunked")
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

void RequestReader::accept_head() {
    Request& request = parser_->request;
    if (parser_->target.size() > limits_.max_target_bytes)
        return refuse(414, "TARGET_TOO_LONG",
                      concat("path and query are longer than the ", limits_.max_target_bytes, " bytes allowed"));
    if (parser_->fields > max_fields)
        return refuse(431, "HEADERS_TOO_LARGE", concat("the header has more than ", max_fields, " fields"));
    if (const auto defect = header_defect(request, parser_->version)) return refuse(400, "BAD_REQUEST", *defect);
    const std::string expectation = lower_case(std::string(request.header("expect")));
    if (!expectation.empty() && expectation != "100-continue")
        return refuse(417, "BAD_REQUEST", "the only expectation that can be met is 100-continue");

    auto parsed = parse_target(parser_->target);
    if (const auto* defect = std::get_if<TargetDefect>(&parsed))
        return refuse(400, "BAD_REQUEST", concat("the target of the request ", defect->what));
    request.path = std::move(std::get<Target>(parsed).path);
    request.query = std::move(std::get<Target>(parsed).query);
    state_ = parser_->is_done() ? State::Complete : State::Body;
}

// ---- The body ----------------------------------------------------------------------------------------------------

std::size_t RequestReader::feed_body(std::string_view bytes) {
    std::size_t used = 0;
    while (used < bytes.size() && !parser_->is_done()) {
        error_code ec;
        const std::string_view rest = bytes.substr(used);
        if (parser_->chunked() && is_cut_last_chunk(rest)) break;
        const std::size_t taken = parser_->put(boost::asio::buffer(rest.data(), rest.size()), ec);
        used += taken;
        if (ec == beast::http::error::need_more) {
            if (bytes.size() - used > max_chunk_header_bytes)
                refuse(400, "BAD_REQUEST", "a chunk of the body has too long a header");
            break;
        }
        if (ec == beast::http::error::body_limit)
            refuse(413, "TOO_LARGE",
                   concat("the body is larger than the ", limits_.max_body_bytes, " bytes allowed"));
        else if (ec)
            refuse(400, "BAD_REQUEST", concat("the body is not well-formed: ", ec.message()));
        if (ec || taken == 0) break;
    }
    if (state_ == State::Body && parser_->is_done()) state_ = State::Complete;
    return used;
}

bool RequestReader::wants_continue() const {
    return state_ == State::Body && parser_->version == 11 && !parser_->request.header("expect").empty() &&
           parser_->request.body.empty();
}

std::size_t RequestReader::body_bytes() const {
    return parser_->request.body.size();
}

bool RequestReader::keeps_alive() const {
    return state_ == State::Complete && parser_->version == 11 && parser_->keep_alive();
}

bool RequestReader::wants_head_only() const {
    return parser_->request.method == "HEAD";
}

Request RequestReader::take() {
    Request request = std::move(parser_->request);
    if (request.method == "HEAD") request.method = "GET";
    return request;
}

}  // namespace holdfast::http
