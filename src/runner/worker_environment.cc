#include "runner/worker_environment.h"

#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.h"

namespace holdfast::runner {

namespace {

constexpr std::string_view own_prefix = "HOLDFAST_";

std::string_view name_of(std::string_view assignment) {
    return assignment.substr(0, assignment.find('='));
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::vector<std::string> assignments(const Variables& variables) {
    std::vector<std::string> texts;
    for (const auto& [name, value] : variables) texts.push_back(concat(name, "=", value));
    return texts;
}

std::vector<std::string> withheld_names(const std::vector<std::string>& secrets,
                                        const std::vector<std::string>& pass_env) {
    std::vector<std::string> names = {"HOLDFAST_STORE", "HOLDFAST_TOKEN", "PGPASSWORD"};
    names.insert(names.end(), secrets.begin(), secrets.end());
    std::erase_if(names, [&](const std::string& name) { return contains(pass_env, name); });
    return names;
}

SplitEnvironment split_environment(const std::vector<std::string>& withheld) {
    SplitEnvironment split;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        if (!contains(withheld, name_of(*entry)))
            split.shown.emplace_back(*entry);
        else if (!std::string_view(*entry).starts_with(own_prefix))
            split.withheld.append(*entry).push_back('\0');
    }
    return split;
}

WorkerEnvironment::WorkerEnvironment(std::string worker, std::vector<std::string> pass_env, std::string_view withheld)
    : worker_(std::move(worker)), pass_env_(std::move(pass_env)) {
    while (!withheld.empty()) {
        const std::string_view entry = withheld.substr(0, withheld.find('\0'));
        const std::string_view name = name_of(entry);
        if (name.size() < entry.size()) withheld_.emplace(name, entry.substr(name.size() + 1));
        withheld.remove_prefix(std::min(entry.size() + 1, withheld.size()));
    }
}

std::optional<std::string> WorkerEnvironment::find(const std::string& name) const {
    if (const auto found = withheld_.find(name); found != withheld_.end()) return found->second;
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return std::string(value);
}

void WorkerEnvironment::forget_withheld() {
    for (auto& [name, value] : withheld_) explicit_bzero(value.data(), value.size());
    withheld_.clear();
}

Variables WorkerEnvironment::passed() const {
    Variables variables;
    for (const std::string& name : pass_env_)
        if (auto value = find(name)) variables.emplace(name, std::move(*value));
    return variables;
}

}  // namespace holdfast::runner
