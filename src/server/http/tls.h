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

/// TLS 1.2 with forward secrecy, or later, with this certificate. Throws BadInput with a sentence when the files
/// cannot be used.
[[nodiscard]] TlsContext tls_for_server(const TlsFiles& files);
/// Trusts whom the system trusts, or only whom the certificates of this file vouch for.
[[nodiscard]] TlsContext tls_for_client(const std::string& ca_file);

[[nodiscard]] std::unique_ptr<Transport> tls_server_transport(asio::ip::tcp::socket socket, TlsContext context);
/// open() fails unless the peer's certificate is valid for `host`.
[[nodiscard]] std::unique_ptr<Transport> tls_client_transport(asio::ip::tcp::socket socket, TlsContext context,
                                                              const std::string& host);

}  // namespace holdfast::http
