#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "config/config.h"

namespace holdfast::config {

/// A directory of its own with, if the test writes one, a holdfast.yaml in it.
class Loading : public ::testing::Test {
public:
    ~Loading() override;

protected:
    Loading();

    /// Writes a file in the directory and returns its path.
    std::string write(const std::string& content, const std::string& name = "holdfast.yaml");

    [[nodiscard]] Result<Config, ConfigErrors> load() const;

    /// The errors of a configuration that must be refused; each as a person reads it, without the directory.
    [[nodiscard]] std::vector<std::string> complaints() const;
    [[nodiscard]] ConfigErrors errors() const;
    /// The only error of a configuration that must be refused.
    [[nodiscard]] ConfigError only_error() const;

    /// A configuration that must be accepted.
    [[nodiscard]] Config accepted() const;
    /// An effective value, as shown: "30000 (default)".
    [[nodiscard]] std::string shown(const std::string& key) const;

    std::filesystem::path directory;
    LoadParams params;
};

}  // namespace holdfast::config
