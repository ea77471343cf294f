#include "config/file_content.h"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "base/text.h"
#include "config/yaml_reader.h"

namespace holdfast::config {

Result<std::string, std::string> read_content(const std::string& name) {
    const auto reason = [] { return Failure{std::generic_category().message(errno)}; };
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(name.c_str(), "rb"), std::fclose);
    if (file == nullptr) return reason();
    std::string content;
    std::string piece(64 * 1024, '\0');
    while (const std::size_t count = std::fread(piece.data(), 1, piece.size(), file.get())) {
        content.append(piece, 0, count);
        if (content.size() > max_file_bytes) return Failure{concat("larger than ", max_file_bytes, " bytes")};
    }
    if (std::ferror(file.get()) != 0) return reason();
    return content;
}

}  // namespace holdfast::config
