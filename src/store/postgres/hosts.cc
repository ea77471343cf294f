#include "store/postgres/hosts.h"

#include <arpa/inet.h>
#include <libpq-fe.h>

#include <array>
#include <cstdlib>
#include <map>
#include <memory>

#include "base/text.h"
#include "store/errors.h"

namespace holdfast::postgres {

namespace {

using Options = std::map<std::string, std::string>;

Options parse_options(const std::string& url) {
    char* complaint = nullptr;
    const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> parsed(
        PQconninfoParse(url.c_str(), &complaint), &PQconninfoFree);
    const std::unique_ptr<char, decltype(&PQfreemem)> owned(complaint, &PQfreemem);
    if (!parsed)
        throw store::Unusable(concat("cannot connect to ", mask_password(url), ": ",
                                     complaint ? one_line(trimmed(complaint)) : std::string("out of memory")));
    Options options;
    for (const auto* each = parsed.get(); each->keyword != nullptr; ++each)
        if (each->val != nullptr) options[each->keyword] = each->val;
    return options;
}

/// Takes the option out; where the URL does not give it, the variable counts.
std::string take(Options& options, const char* name, const char* variable) {
    if (const auto found = options.find(name); found != options.end()) {
        std::string value = std::move(found->second);
        options.erase(found);
        return value;
    }
    const char* value = std::getenv(variable);
    return value != nullptr ? value : "";
}

std::vector<std::string> listed(const std::string& list) {
    std::vector<std::string> items;
    for (const auto item : split(list, ',')) items.emplace_back(item);
    return items;
}

/// nullopt: the lists do not match, about which libpq complains better.
std::optional<std::vector<Host>> match(const std::string& names, const std::string& addresses,
                                       const std::string& ports) {
    const auto name_list = listed(names);
    const auto address_list = listed(addresses);
    const auto port_list = listed(ports);
    const auto count = addresses.empty() ? name_list.size() : address_list.size();
    if (!names.empty() && name_list.size() != count) return std::nullopt;
    if (port_list.size() != 1 && port_list.size() != count) return std::nullopt;
    std::vector<Host> hosts;
    for (std::size_t i = 0; i < count; ++i)
        hosts.push_back({names.empty() ? "" : name_list[i], addresses.empty() ? "" : address_list[i],
                         port_list.size() == 1 ? port_list[0] : port_list[i]});
    return hosts;
}

std::optional<Duration> read_seconds(const std::string& text) {
    const long seconds = std::strtol(text.c_str(), nullptr, 10);
    return seconds > 0 ? std::optional<Duration>(std::chrono::seconds(std::min(seconds, 3600L))) : std::nullopt;
}

}  // namespace

std::string Host::described() const {
    const std::string& shown = !name.empty() ? name : address;
    const std::string place = shown.empty() ? "the default host" : shown;
    return port.empty() ? place : concat(place, ":", port);
}

bool Host::needs_lookup() const {
    std::array<unsigned char, sizeof(in6_addr)> ignored{};
    if (name.empty() || !address.empty() || name.front() == '/' || name.front() == '@') return false;
    return inet_pton(AF_INET, name.c_str(), ignored.data()) != 1 && name.find(':') == std::string::npos;
}

ServerUrl read_url(const std::string& url) {
    auto options = parse_options(url);
    ServerUrl read;
    read.connect_timeout = read_seconds(take(options, "connect_timeout", "PGCONNECT_TIMEOUT"));
    if (options.contains("service") || std::getenv("PGSERVICE") != nullptr) {
        read.hosts = {Host{}};
    } else {
        const auto names = take(options, "host", "PGHOST");
        const auto addresses = take(options, "hostaddr", "PGHOSTADDR");
        const auto ports = take(options, "port", "PGPORT");
        const auto hosts = match(names, addresses, ports);
        read.hosts = hosts ? *hosts : std::vector<Host>{{names, addresses, ports}};
    }
    read.options.assign(options.begin(), options.end());
    return read;
}

}  // namespace holdfast::postgres
