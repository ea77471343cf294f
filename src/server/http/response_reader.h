#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::http {

/// Parses one answer from bytes that arrive in pieces of any size; the client's counterpart of RequestReader.
/// feed() throws Unusable when the bytes are not HTTP.
class ResponseReader {
public:
    /// `is_to_head`: the answer to a HEAD, which lacks a body. `max_body_bytes`: feed() throws Unusable when the
    /// body is larger.
    ResponseReader(bool is_to_head, std::size_t max_body_bytes);
    ~ResponseReader();
    ResponseReader(const ResponseReader&) = delete;
    ResponseReader& operator=(const ResponseReader&) = delete;

    /// Works as RequestReader::feed does.
    std::size_t feed(std::string_view bytes);
    /// Call it when the connection has ended. Returns whether the answer is complete, as it is when its header lets
    /// the end of the connection end the body.
    [[nodiscard]] bool end();

    [[nodiscard]] bool has_head() const;
    [[nodiscard]] bool is_complete() const;
    [[nodiscard]] bool keeps_alive() const;
    [[nodiscard]] int status() const;
    [[nodiscard]] std::vector<std::pair<std::string, std::string>>& headers();  ///< names in lower case
    [[nodiscard]] std::string& body();  ///< received so far; the caller may remove parts

private:
    class Parser;
    std::unique_ptr<Parser> parser_;
};

}  // namespace holdfast::http
