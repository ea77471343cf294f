#include "server/http/transport.h"

#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <chrono>

#include "base/text.h"
#include "holdfast/errors.h"

namespace holdfast::http {

namespace {

namespace ssl = asio::ssl;
using asio::ip::tcp;
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

Transport::Transport(tcp::socket socket, TlsContext tls) : socket_(std::move(socket)), context_(std::move(tls)) {
    if (context_) tls_.emplace(socket_, *context_);
}

Transport::Transport(tcp::socket socket, TlsContext tls, const std::string& host)
    : Transport(std::move(socket), std::move(tls)) {
    if (!tls_) return;
    side_ = ssl::stream_base::client;
    tls_->set_verify_mode(ssl::verify_peer);
    tls_->set_verify_callback(ssl::host_name_verification(host));
    error_code is_name;
    asio::ip::make_address(host, is_name);
    if (is_name) SSL_set_tlsext_host_name(tls_->native_handle(), host.c_str());
}

asio::awaitable<error_code> Transport::open() {
    error_code failure;
    if (tls_) co_await tls_->async_handshake(side_, asio::redirect_error(asio::use_awaitable, failure));
    co_return failure;
}

asio::awaitable<Moved> Transport::read_some(asio::mutable_buffer into) {
    Moved moved;
    auto then = asio::redirect_error(asio::use_awaitable, moved.error);
    if (tls_ && !is_finished_)
        moved.bytes = co_await tls_->async_read_some(into, then);
    else
        moved.bytes = co_await socket_.async_read_some(into, then);
    co_return moved;
}

asio::awaitable<Moved> Transport::write_some(asio::const_buffer from) {
    Moved moved;
    auto then = asio::redirect_error(asio::use_awaitable, moved.error);
    if (tls_)
        moved.bytes = co_await tls_->async_write_some(from, then);
    else
        moved.bytes = co_await socket_.async_write_some(from, then);
    co_return moved;
}

asio::awaitable<void> Transport::finish() {
    is_finished_ = true;
    error_code ignored;
    if (tls_) co_await tls_->async_shutdown(asio::redirect_error(asio::use_awaitable, ignored));
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
}

void Transport::cancel() {
    error_code ignored;
    socket_.cancel(ignored);
}

void Transport::give_up_on_silence(Duration patience) {
    const auto milliseconds =
        static_cast<unsigned int>(std::chrono::ceil<std::chrono::milliseconds>(patience).count());
    // Without the option the connection ends later.
    (void)setsockopt(socket_.native_handle(), IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
}

void Transport::close() {
    error_code ignored;
    socket_.close(ignored);
}

bool Transport::is_quiet() {
    char byte = 0;
    if (!socket_.is_open()) return false;
    return ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

}  // namespace holdfast::http
