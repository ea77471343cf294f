#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::http {

/// Makes one answer out of bytes, however they are cut; the client's counterpart of RequestReader. Throws Unusable
/// when they are not HTTP.
class ResponseReader {
public:
    /// `max_body_bytes`: throws Unusable beyond it.
    ResponseReader(bool is_to_head, std::size_t max_body_bytes);
    ~ResponseReader();
    ResponseReader(const ResponseReader&) = delete;
    ResponseReader& operator=(const ResponseReader&) = delete;

    /// As RequestReader::feed.
    std::size_t feed(std::string_view bytes);
    /// The connection has ended; true: so has the answer, as its header allows.
    [[nodiscard]] bool end();

    [[nodiscard]] bool has_head() const;
    [[nodiscard]] bool is_complete() const;
    [[nodiscard]] bool keeps_alive() const;
    [[nodiscard]] int status() const;
    [[nodiscard]] std::vector<std::pair<std::string, std::string>>& headers();  ///< names in lower case
    [[nodiscard]] std::string& body();  ///< as far as it has come; the caller may take pieces away

private:
    class Parser;
    std::unique_ptr<Parser> parser_;
};

}  // namespace holdfast::http
