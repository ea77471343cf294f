#include "server/http/response_reader.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/optional.hpp>

#include "base/text.h"
#include "holdfast/errors.h"
#include "server/http/chunked.h"

namespace holdfast::http {

namespace beast = boost::beast;
using beast::error_code;

/// Collects the parts of an answer that Beast's parser reports.
class ResponseReader::Parser final : public beast::http::basic_parser<false> {
public:
    explicit Parser(std::size_t max_body_bytes) {
        header_limit(64 * 1024);
        body_limit(max_body_bytes);
        eager(false);
    }

    int status = 0;
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;

private:
    void on_request_impl(beast::http::verb, beast::string_view, beast::string_view, int, error_code& ec) override {
        ec = {};
    }
    void on_response_impl(int code, beast::string_view, int, error_code& ec) override {
        status = code;
        ec = {};
    }
    void on_field_impl(beast::http::field, beast::string_view name, beast::string_view value,
                       error_code& ec) override {
        ec = {};
        headers.emplace_back(lower_case(std::string_view(name.data(), name.size())),
                             std::string(value.data(), value.size()));
    }
    void on_header_impl(error_code& ec) override { ec = {}; }
    void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code& ec) override { ec = {}; }
    std::size_t on_body_impl(beast::string_view piece, error_code& ec) override { return add_body(piece, ec); }
    void on_chunk_header_impl(std::uint64_t, beast::string_view, error_code& ec) override { ec = {}; }
    std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view piece, error_code& ec) override {
        return add_body(piece, ec);
    }
    void on_finish_impl(error_code& ec) override { ec = {}; }

    std::size_t add_body(beast::string_view piece, error_code& ec) {
        ec = {};
        body.append(piece.data(), piece.size());
        return piece.size();
    }
};

ResponseReader::ResponseReader(bool is_to_head, std::size_t max_body_bytes)
    : parser_(std::make_unique<Parser>(max_body_bytes)) {
    parser_->skip(is_to_head);
}
ResponseReader::~ResponseReader() = default;

std::size_t ResponseReader::feed(std::string_view bytes) {
    std::size_t used = 0;
    while (used < bytes.size() && !parser_->is_done()) {
        error_code ec;
        const std::string_view rest = bytes.substr(used);
        if (parser_->is_header_done() && parser_->chunked() && is_cut_last_chunk(rest)) break;
        const std::size_t taken = parser_->put(boost::asio::buffer(rest.data(), rest.size()), ec);
        used += taken;
        if (ec == beast::http::error::need_more) break;
        if (ec) throw Unusable(concat("the server's answer cannot be understood: ", ec.message()));
        if (taken == 0) break;
    }
    return used;
}

bool ResponseReader::end() {
    error_code ec;
    if (!parser_->is_done() && parser_->got_some()) parser_->put_eof(ec);
    return !ec && parser_->is_done();
}

bool ResponseReader::has_head() const {
    return parser_->is_header_done();
}

bool ResponseReader::is_complete() const {
    return parser_->is_done();
}

bool ResponseReader::keeps_alive() const {
    return parser_->is_done() && parser_->keep_alive();
}

int ResponseReader::status() const {
    return parser_->status;
}

std::vector<std::pair<std::string, std::string>>& ResponseReader::headers() {
    return parser_->headers;
}

std::string& ResponseReader::body() {
    return parser_->body;
}

}  // namespace holdfast::http
