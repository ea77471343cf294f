#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace holdfast::page {

/// A file of the built page as embedded in the program, in one of its encodings.
struct EmbeddedFile {
    std::string_view path;          ///< "/index.html", "/assets/index-1a2b.js"
    std::string_view content_type;  ///< "text/javascript; charset=utf-8"
    std::string_view encoding;      ///< "br", "gzip"; empty: uncompressed
    std::string_view bytes;

    /// Returns whether the file may be cached forever, because its name changes with its content.
    [[nodiscard]] bool is_immutable() const { return path.starts_with("/assets/"); }
};

/// Returns every file in every encoding that makes it smaller, the smallest of each first. Empty when the program
/// was built without the page.
[[nodiscard]] std::span<const EmbeddedFile> embedded_files();

/// Returns the file for a path ("/" is index.html), in the smallest encoding that the client accepts; nullopt when
/// the file is unknown. In a build without the page, "/" is a text that explains how to build it.
[[nodiscard]] std::optional<EmbeddedFile> find_file(std::string_view path, std::string_view accept_encoding);

}  // namespace holdfast::page
