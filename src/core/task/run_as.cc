#include "core/task/run_as.h"

#include <charconv>
#include <optional>
#include <string_view>

#include "base/text.h"

namespace holdfast::core {

namespace {

constexpr std::uint32_t overflow_user = 65534;  // nobody: the kernel shows it for users that it cannot map
constexpr std::uint32_t greatest = 4294967293;  // the two numbers above are "no user" in one place or another

std::optional<std::uint32_t> user_id(std::string_view text) {
    std::uint32_t id = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (text.empty() || fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return id;
}

/// Returns what is wrong with the range; empty: nothing.
std::string read_range(std::string_view text, RunAs& run_as) {
    const std::size_t dash = text.find('-');
    const auto first = user_id(text.substr(0, dash));
    const auto last = user_id(dash == std::string_view::npos ? text : text.substr(dash + 1));
    if (!first || !last || *first > *last) return concat("has the uids ", text, "; write FROM-TO, as in 60000-60099");
    if (*first == 0) return "must not include the user id 0, which is root";
    if (*first <= overflow_user && *last >= overflow_user) return "must not include the user id 65534, nobody";
    if (*last > greatest) return concat("must not include user ids above ", greatest);
    run_as.first = *first;
    run_as.last = *last;
    return {};
}

}  // namespace

Result<RunAs, std::vector<std::string>> parse_run_as(const std::map<std::string, std::string>& members) {
    RunAs run_as;
    std::vector<std::string> faults;
    for (const auto& [name, text] : members)
        if (name != "user" && name != "uids")
            faults.push_back(concat("has no member ", name, "; it has user, or uids"));
    const auto user = members.find("user");
    const auto uids = members.find("uids");
    if ((user == members.end()) == (uids == members.end()))
        faults.emplace_back("needs either user or uids, and not both");
    if (user != members.end()) run_as.user = user->second;
    if (user != members.end() && run_as.user.empty()) faults.emplace_back("has an empty user");
    if (run_as.user == "root" || run_as.user == "0") faults.emplace_back("must not name root");
    if (uids != members.end())
        if (auto fault = read_range(uids->second, run_as); !fault.empty()) faults.push_back(std::move(fault));
    if (!faults.empty()) return Failure{std::move(faults)};
    return run_as;
}

}  // namespace holdfast::core
