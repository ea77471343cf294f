#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "integration/place.h"
#include "server/http/client.h"

namespace holdfast::server_test {

using integration::RunParams;
using integration::StoreKind;

/// Looks again and again, for what nobody tells of when it happens.
void wait_until(const std::function<bool()>& holds, const std::string& what);

/// A `holdfast server` or `holdfast dev` at work.
class ServingProgram {
public:
    /// Waits until it says where it listens: the first line with a URL.
    explicit ServingProgram(const RunParams& params);

    [[nodiscard]] const std::string& url() const { return url_; }
    [[nodiscard]] std::uint16_t port() const;
    /// What it printed up to and including the line with the URL.
    [[nodiscard]] const std::vector<std::string>& greeting() const { return greeting_; }
    [[nodiscard]] integration::RunningProgram& program() { return program_; }

    /// An answer of it; of the token's owner when there is one.
    [[nodiscard]] http::Client::Answer get(const std::string& target, const std::string& token = {}) const;
    [[nodiscard]] nlohmann::json get_json(const std::string& target, const std::string& token = {}) const;
    [[nodiscard]] nlohmann::json post(const std::string& target, const nlohmann::json& body) const;

    /// Asks it to stop, and waits for that.
    integration::Ran stop(int signal);

private:
    integration::RunningProgram program_;
    std::vector<std::string> greeting_;
    std::string url_;
};

class ServerTest : public integration::AnyStoreProgramTest {
protected:
    /// On a port that is free.
    [[nodiscard]] std::unique_ptr<ServingProgram> serve(std::vector<std::string> options = {});
    [[nodiscard]] std::unique_ptr<ServingProgram> dev(std::vector<std::string> options = {});
};

}  // namespace holdfast::server_test
