#pragma once

#include <string>
#include <string_view>

namespace holdfast::core {

/// Who gave an order, and from where, as it stands in `who` of an event.
struct Origin {
    std::string name = {};
    /// "10.0.0.7", "10.0.0.7 (page)" or "cli on web-1 as alice"; empty: an application, or Holdfast itself.
    std::string from = {};
};

/// The doors of a server.
enum class Door { Api, Page };

/// "alice from 10.0.0.7 (api)"
[[nodiscard]] std::string server_caller(std::string_view name, std::string_view peer, Door door);
/// "alice@web-1 (cli)"
[[nodiscard]] std::string cli_caller(std::string_view user, std::string_view host);
/// Returns the parts of a text that one of the above made; of any other text, the text itself as the name.
[[nodiscard]] Origin origin_of(std::string_view who);

}  // namespace holdfast::core
