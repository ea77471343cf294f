#include "server/http/tls.h"

#include <openssl/ssl.h>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/text.h"
#include "holdfast/errors.h"

namespace holdfast::http {

namespace {

namespace ssl = asio::ssl;
using boost::system::error_code;

/// The TLS 1.2 suites with forward secrecy and authenticated encryption; every TLS 1.3 suite has both.
constexpr const char* allowed_suites = "ECDHE+AESGCM:ECDHE+CHACHA20";

TlsContext new_context(ssl::context::method method) {
    auto context = std::make_shared<ssl::context>(method);
    SSL_CTX* const handle = context->native_handle();
    SSL_CTX_set_min_proto_version(handle, TLS1_2_VERSION);
    if (SSL_CTX_set_cipher_list(handle, allowed_suites) != 1)
        throw BadInput("OpenSSL has none of the ciphers needed");
    SSL_CTX_set_options(handle, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_mode(handle, SSL_MODE_RELEASE_BUFFERS);  // frees the buffers of idle streams
    return context;
}

void require(const error_code& failure, std::string_view what, const std::string& file) {
    if (failure) throw BadInput(concat("cannot use the ", what, " ", file, ": ", failure.message()));
}

class TlsTransport final : public Transport {
public:
    TlsTransport(asio::ip::tcp::socket socket, TlsContext context, ssl::stream_base::handshake_type side)
        : context_(std::move(context)), stream_(std::move(socket), *context_), side_(side) {}

    void verify(const std::string& host) {
        stream_.set_verify_mode(ssl::verify_peer);
        stream_.set_verify_callback(ssl::host_name_verification(host));
        error_code is_name;
        asio::ip::make_address(host, is_name);
        if (is_name) SSL_set_tlsext_host_name(stream_.native_handle(), host.c_str());
    }

    asio::awaitable<error_code> open() override {
        error_code failure;
        co_await stream_.async_handshake(side_, asio::redirect_error(asio::use_awaitable, failure));
        co_return failure;
    }

    /// After finish(), the remaining input is discarded by the caller, so it is read without decryption.
    asio::awaitable<Moved> read_some(asio::mutable_buffer into) override {
        Moved moved;
        if (is_finished_)
            moved.bytes = co_await stream_.next_layer().async_read_some(
                into, asio::redirect_error(asio::use_awaitable, moved.error));
        else
            moved.bytes =
                co_await stream_.async_read_some(into, asio::redirect_error(asio::use_awaitable, moved.error));
        co_return moved;
    }

    asio::awaitable<Moved> write_some(asio::const_buffer from) override {
        Moved moved;
        moved.bytes = co_await stream_.async_write_some(from, asio::redirect_error(asio::use_awaitable, moved.error));
        co_return moved;
    }

    asio::awaitable<void> finish() override {
        is_finished_ = true;
        error_code ignored;
        co_await stream_.async_shutdown(asio::redirect_error(asio::use_awaitable, ignored));
        stream_.next_layer().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    }

    void cancel() override {
        error_code ignored;
        stream_.next_layer().cancel(ignored);
    }

    void close() override {
        error_code ignored;
        stream_.next_layer().close(ignored);
    }

    [[nodiscard]] bool is_secure() const override { return true; }
    [[nodiscard]] bool is_quiet() override { return http::is_quiet(stream_.next_layer()); }

private:
    const TlsContext context_;
    ssl::stream<asio::ip::tcp::socket> stream_;
    const ssl::stream_base::handshake_type side_;
    bool is_finished_ = false;
};

}  // namespace

TlsContext tls_for_server(const TlsFiles& files) {
    TlsContext context = new_context(ssl::context::tls_server);
    error_code failure;
    context->use_certificate_chain_file(files.certificate, failure);
    require(failure, "certificate", files.certificate);
    context->use_private_key_file(files.key, ssl::context::pem, failure);
    require(failure, "key", files.key);
    if (SSL_CTX_check_private_key(context->native_handle()) != 1)
        throw BadInput(concat("the key ", files.key, " does not belong to the certificate ", files.certificate));
    return context;
}

TlsContext tls_for_client(const std::string& ca_file) {
    TlsContext context = new_context(ssl::context::tls_client);
    error_code failure;
    if (ca_file.empty())
        context->set_default_verify_paths(failure);
    else
        context->load_verify_file(ca_file, failure);
    require(failure, "certificates of", ca_file.empty() ? "the system" : ca_file);
    return context;
}

std::unique_ptr<Transport> tls_server_transport(asio::ip::tcp::socket socket, TlsContext context) {
    return std::make_unique<TlsTransport>(std::move(socket), std::move(context), ssl::stream_base::server);
}

std::unique_ptr<Transport> tls_client_transport(asio::ip::tcp::socket socket, TlsContext context,
                                                const std::string& host) {
    auto transport = std::make_unique<TlsTransport>(std::move(socket), std::move(context), ssl::stream_base::client);
    transport->verify(host);
    return transport;
}

}  // namespace holdfast::http
