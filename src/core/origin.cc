#include "core/origin.h"

#include "base/text.h"

namespace holdfast::core {

namespace {

constexpr std::string_view of_api = " (api)", of_page = " (page)", of_cli = " (cli)", between = " from ";

}  // namespace

std::string server_caller(std::string_view name, std::string_view peer, Door door) {
    return concat(name, between, peer, door == Door::Page ? of_page : of_api);
}

std::string cli_caller(std::string_view user, std::string_view host) {
    return concat(user, "@", host, of_cli);
}

/// Addresses and host names contain neither blanks nor '@', so the last separator is the one that was written here,
/// whatever the name contains.
Origin origin_of(std::string_view who) {
    for (const std::string_view door : {of_api, of_page})
        if (who.ends_with(door)) {
            const auto text = who.substr(0, who.size() - door.size());
            if (const auto at = text.rfind(between); at != std::string_view::npos)
                return {std::string(text.substr(0, at)),
                        concat(text.substr(at + between.size()), door == of_page ? of_page : "")};
        }
    if (who.ends_with(of_cli)) {
        const auto text = who.substr(0, who.size() - of_cli.size());
        if (const auto at = text.rfind('@'); at != std::string_view::npos)
            return {std::string(text.substr(0, at)),
                    concat("cli on ", text.substr(at + 1), " as ", text.substr(0, at))};
    }
    return {std::string(who), ""};
}

}  // namespace holdfast::core
