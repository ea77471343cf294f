#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace holdfast::http::testing {

/// An answer as it came over the wire.
struct RawAnswer {
    int status = 0;                              ///< 0: the connection ended before one came
    std::map<std::string, std::string> headers;  ///< names in lower case
    std::string body;
};

/// A client that sends whatever bytes it is told to. Nothing waits longer than a minute: then it is as if the
/// server had closed.
class RawClient {
public:
    explicit RawClient(std::uint16_t port, const std::string& address = "127.0.0.1");
    RawClient(RawClient&& other) noexcept;
    RawClient& operator=(RawClient&&) = delete;
    ~RawClient();

    /// False: the server has closed.
    bool send(std::string_view bytes);
    /// The next answer; of a HEAD without its body.
    RawAnswer answer(bool has_body = true);
    /// Reads until the text has come; what is before it and itself. Empty: it did not come.
    std::string read_until(std::string_view text);
    /// Everything until the server closes.
    std::string rest();
    /// Has the server closed, or does it within that time, without another byte?
    bool is_closed_within(std::chrono::milliseconds time = std::chrono::minutes(1));
    void finish_sending();
    void shrink_receive_buffer();  ///< so that little is enough to fill it
    void reset();                  ///< closes with RST, as a process that dies does

private:
    bool read_more();

    int socket_ = -1;
    std::string input_;
};

/// One request on a connection of its own.
RawAnswer ask(std::uint16_t port, std::string_view request);

/// "GET /path HTTP/1.1" with a Host and these header lines (each with its CR LF).
std::string get(const std::string& target, const std::string& more_headers = "");
std::string post(const std::string& target, const std::string& body, const std::string& more_headers = "");

}  // namespace holdfast::http::testing
