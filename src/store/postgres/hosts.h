#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "holdfast/time.h"

namespace holdfast::postgres {

/// One server that a URL names.
struct Host {
    std::string name;  ///< a name, an address, or the directory of a Unix socket; empty: what libpq takes by itself
    std::string address;  ///< the address that the URL gives beside the name; usually empty
    std::string port;     ///< empty: what libpq takes by itself

    [[nodiscard]] std::string described() const;
    /// Whether its name has to be looked up before it can be connected to.
    [[nodiscard]] bool needs_lookup() const;
};

/// What a libpq URI or keyword string says.
struct ServerUrl {
    std::vector<std::pair<std::string, std::string>> options;  ///< as libpq names them, without those of `hosts`
    std::vector<Host> hosts;                                   ///< at least one
    std::optional<Duration> connect_timeout;
};

/// Takes the environment into account (PGHOST, PGPORT, ...) as libpq does. The hosts of a service file stay unknown:
/// they count as one, and libpq finds them. Throws store::Unusable for a URL that cannot be read.
[[nodiscard]] ServerUrl read_url(const std::string& url);

}  // namespace holdfast::postgres
