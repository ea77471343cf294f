#include "server/server_fixture.h"

namespace holdfast::server_test {

namespace {

constexpr std::chrono::seconds patience(60);

std::string url_in(const std::string& line) {
    const std::size_t at = line.find("http");
    return at == std::string::npos ? "" : line.substr(at, line.find_first_of(" \n", at) - at);
}

}  // namespace

void wait_until(const std::function<bool()>& holds, const std::string& what) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!holds()) {
        if (std::chrono::steady_clock::now() > until) throw std::runtime_error("waited in vain for " + what);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

ServingProgram::ServingProgram(const RunParams& params) : program_(params) {
    while (url_.empty()) {
        greeting_.push_back(program_.read_line());
        url_ = url_in(greeting_.back());
    }
}

std::uint16_t ServingProgram::port() const {
    return static_cast<std::uint16_t>(std::stoi(url_.substr(url_.rfind(':') + 1)));
}

http::Client::Answer ServingProgram::get(const std::string& target, const std::string& token) const {
    http::Client client({.url = url_, .token = token});
    return client.send("GET", target);
}

nlohmann::json ServingProgram::get_json(const std::string& target, const std::string& token) const {
    return nlohmann::json::parse(get(target, token).body);
}

nlohmann::json ServingProgram::post(const std::string& target, const nlohmann::json& body) const {
    http::Client client({.url = url_});
    return nlohmann::json::parse(client.send("POST", target, body.dump()).body);
}

integration::Ran ServingProgram::stop(int signal) {
    program_.send(signal);
    return program_.finish();
}

std::unique_ptr<ServingProgram> ServerTest::serve(std::vector<std::string> options) {
    std::vector<std::string> arguments = {"server", "--port", "0"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return std::make_unique<ServingProgram>(command(arguments));
}

std::unique_ptr<ServingProgram> ServerTest::dev(std::vector<std::string> options) {
    std::vector<std::string> arguments = {"dev"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return std::make_unique<ServingProgram>(command(arguments));
}

}  // namespace holdfast::server_test
