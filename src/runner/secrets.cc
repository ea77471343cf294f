#include "runner/secrets.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/text.h"

namespace holdfast::runner {

namespace {

constexpr std::size_t least_masked = 4;
constexpr std::size_t largest_file = 64 * 1024;
constexpr std::string_view from_environment = "env:";
constexpr std::string_view from_file = "file:";

Result<std::string, std::string> read_variable(const std::string& name, const WorkerEnvironment& worker) {
    auto value = worker.find(name);
    if (!value) return Failure{concat("this worker has no environment variable ", name)};
    return std::move(*value);
}

Result<std::string, std::string> read_secret_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return Failure{concat("this worker cannot read the file ", path)};
    std::string value(largest_file + 1, '\0');
    file.read(value.data(), static_cast<std::streamsize>(value.size()));
    value.resize(static_cast<std::size_t>(file.gcount()));
    if (value.size() > largest_file) return Failure{concat("the file ", path, " is longer than 64 KiB")};
    if (value.ends_with('\n')) value.pop_back();
    if (value.find('\0') != std::string::npos) return Failure{concat("the file ", path, " has a NUL byte")};
    return value;
}

Result<std::string, std::string> read_secret(const std::string& source, const WorkerEnvironment& worker) {
    if (source.starts_with(from_environment)) return read_variable(source.substr(from_environment.size()), worker);
    return read_secret_file(source.substr(from_file.size()));
}

}  // namespace

Result<Secrets, std::string> read_secrets(const core::TaskSpec& spec, const WorkerEnvironment& worker,
                                          const std::vector<std::string>* allowed) {
    Secrets secrets;
    for (const auto& [name, source] : spec.secrets) {
        if (allowed != nullptr && std::ranges::find(*allowed, source) == allowed->end())
            return Failure{concat("secret ", name,
                                  ": this worker has run_as and reads only the secrets that its own "
                                  "configuration names, and ",
                                  source, " is not one of them")};
        auto value = read_secret(source, worker);
        if (!value) return Failure{concat("secret ", name, ": ", value.error())};
        secrets.emplace(name, std::move(value).value());
    }
    return secrets;
}

SecretMask::SecretMask(const Secrets& secrets) {
    for (const auto& [name, value] : secrets) {
        std::istringstream lines(value);
        for (std::string line; std::getline(lines, line);)
            if (line.size() >= least_masked) parts_.push_back(line);
    }
    std::ranges::sort(parts_, [](const auto& left, const auto& right) { return left.size() > right.size(); });
}

std::string SecretMask::masked(std::string_view text) const {
    if (parts_.empty()) return std::string(text);
    std::string masked;
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view rest = text.substr(at);
        const auto part = std::ranges::find_if(parts_, [&](const auto& each) { return rest.starts_with(each); });
        masked += part == parts_.end() ? rest.substr(0, 1) : std::string_view("***");
        at += part == parts_.end() ? 1 : part->size();
    }
    return masked;
}

std::size_t SecretMask::hold_back(std::string_view text) const {
    for (std::size_t at = 0; at < text.size(); ++at) {
        const std::string_view end = text.substr(at);
        const bool may_go_on = std::ranges::any_of(
            parts_, [&](const auto& part) { return part.size() > end.size() && part.starts_with(end); });
        if (may_go_on) return end.size();
    }
    return 0;
}

}  // namespace holdfast::runner
