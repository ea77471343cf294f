#pragma once

#include <memory>
#include <string>

#include "server/http/server_params.h"
#include "server/http/transport.h"

namespace boost::asio::ssl {
class context;
}

namespace holdfast::http {

using TlsContext = std::shared_ptr<boost::asio::ssl::context>;

/// Returns a context for TLS 1.2 with forward secrecy, or later, with this certificate. Throws BadInput with a
/// sentence when the files are unusable.
[[nodiscard]] TlsContext tls_for_server(const TlsFiles& files);
/// Returns a context that trusts the authorities of this PEM file only, or those of the system when it is empty.
[[nodiscard]] TlsContext tls_for_client(const std::string& ca_file);

[[nodiscard]] std::unique_ptr<Transport> tls_server_transport(asio::ip::tcp::socket socket, TlsContext context);
/// Returns a transport whose open() fails unless the peer's certificate is valid for `host`.
[[nodiscard]] std::unique_ptr<Transport> tls_client_transport(asio::ip::tcp::socket socket, TlsContext context,
                                                              const std::string& host);

}  // namespace holdfast::http
