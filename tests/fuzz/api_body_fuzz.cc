#include <cstdint>
#include <string>
#include <string_view>

#include "platform/system_random.h"
#include "server/api/api.h"
#include "server/api/route.h"
#include "tests/fuzz/require.h"

namespace {

using namespace holdfast;

class NoLog final : public Log {
public:
    void write(const LogLine&) override {}
};

std::shared_ptr<const config::Config> make_config() {
    auto config = std::make_shared<config::Config>();
    config::TaskDefinition backup{.name = "backup"};
    backup.spec.emplace();
    backup.spec->script = "backup";
    backup.spec->env["DB"] = "{{ input.db }}";
    config->tasks["backup"] = backup;
    core::Workflow release;
    release.name = "release";
    release.steps.push_back({.name = "one", .task = "backup"});
    config->workflows["release"] = release;
    return config;
}

/// A server whose store is away: what is asked is read whole before that is noticed.
api::Api& the_api() {
    static NoLog log;
    static platform::SystemRandom random;
    static api::Api api(
        [] {
            api::ApiParts parts;
            parts.open_store = []() -> std::unique_ptr<store::Store> { throw Unavailable("away"); };
            parts.config = [config = make_config()] { return config; };
            parts.login = api::Login::Never;
            return parts;
        }(),
        random, log);
    return api;
}

/// "/api/tasks/x/cancel" of "/api/tasks/{id}/cancel".
std::vector<std::string> some_path(const std::string& pattern) {
    std::vector<std::string> path;
    for (std::size_t begin = 1; begin <= pattern.size();) {
        const std::size_t end = std::min(pattern.find('/', begin), pattern.size());
        const std::string segment = pattern.substr(begin, end - begin);
        path.push_back(segment.starts_with('{') ? "x" : segment);
        begin = end + 1;
    }
    return path;
}

}  // namespace

/// The first byte chooses a route that takes a body, the others are that body: whatever they are, the answer is no
/// defect of the server, and one that a program can read.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::vector<const api::Route*> with_body = [] {
        std::vector<const api::Route*> found;
        for (const api::Route& route : api::routes())
            if (!route.body.empty()) found.push_back(&route);
        return found;
    }();
    if (size == 0) return 0;
    const api::Route& route = *with_body[data[0] % with_body.size()];
    http::Request request;
    request.method = route.method;
    request.path = some_path(route.path);
    request.headers = {{"host", "127.0.0.1"}, {"content-type", "application/json"}};
    request.peer = "127.0.0.1";
    request.body.assign(reinterpret_cast<const char*>(data + 1), size - 1);
    const http::Reply reply = the_api().handle(request);
    const auto& response = std::get<http::Response>(reply);
    require(response.status != 500);
    require(nlohmann::json::accept(response.body));
    return 0;
}
