#include "tests/config/loading.h"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "base/text.h"

namespace holdfast::config {

namespace {

std::filesystem::path fresh_directory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "holdfast-config-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a temporary directory");
    return pattern;
}

std::string without(std::string text, const std::string& part) {
    for (std::size_t at = 0; (at = text.find(part)) != std::string::npos;) text.erase(at, part.size());
    return text;
}

}  // namespace

Loading::Loading() : directory(fresh_directory()) {
    params.directory = directory.string();
}

Loading::~Loading() {
    std::filesystem::remove_all(directory);
}

std::string Loading::write(const std::string& content, const std::string& name) {
    const auto path = directory / name;
    std::ofstream(path, std::ios::binary) << content;
    return path.string();
}

Result<Config, ConfigErrors> Loading::load() const {
    return config::load(params);
}

ConfigErrors Loading::errors() const {
    const auto result = load();
    EXPECT_FALSE(result.ok()) << "was accepted";
    return result.ok() ? ConfigErrors{} : result.error();
}

std::vector<std::string> Loading::complaints() const {
    std::vector<std::string> texts;
    for (const ConfigError& error : errors()) texts.push_back(without(to_text(error), directory.string() + "/"));
    return texts;
}

ConfigError Loading::only_error() const {
    const ConfigErrors all = errors();
    EXPECT_EQ(all.size(), 1U) << join(complaints(), "\n");
    return all.empty() ? ConfigError{} : all.front();
}

Config Loading::accepted() const {
    auto result = load();
    EXPECT_TRUE(result.ok()) << join(complaints(), "\n");
    return result.ok() ? std::move(result).value() : Config{};
}

std::string Loading::shown(const std::string& key) const {
    for (const Setting& setting : accepted().settings) {
        if (setting.key == key)
            return concat(setting.value, " (", without(to_text(setting.origin), directory.string() + "/"), ")");
    }
    return "not listed";
}

}  // namespace holdfast::config
