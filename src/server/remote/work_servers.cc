#include "server/remote/work_servers.h"

#include <algorithm>
#include <chrono>

#include "base/text.h"
#include "server/http/address.h"

namespace holdfast::remote {

namespace {

using Steady = std::chrono::steady_clock;

constexpr Duration connect_timeout = std::chrono::seconds(2);
/// With another server at hand a worker does not wait long for one that is not there.
constexpr Duration connect_timeout_of_several = std::chrono::milliseconds(400);
constexpr auto say_at_most_every = std::chrono::seconds(10);
constexpr std::size_t most_answer_bytes = std::size_t{1} << 30;

/// "hw_" and 43 characters that encode 256 random bits (the last one only four of them).
std::string draw_secret(Random& random) {
    static constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    std::string secret = "hw_";
    for (int count = 0; count < 43; ++count) secret += alphabet[random.next() % alphabet.size()];
    return secret;
}

std::string detail_of(const views::Json& problem, int status) {
    std::string detail = problem.value("detail", concat("the server answered with status ", status));
    for (const auto& error : problem.value("errors", views::Json::array()))
        detail += concat("; ", error.value("where", ""), " ", error.value("detail", ""));
    return detail;
}

std::string is_no_holdfast(const std::string& url, int status) {
    return concat(url, " does not answer as a Holdfast server with workers behind it does (status ", status,
                  "): is the address right, and is the server as new as this worker?");
}

}  // namespace

WorkServers::WorkServers(Params params, Random& random, Log& log)
    : WorkServers(std::move(params), draw_secret(random), log) {}

WorkServers::WorkServers(Params params, std::string secret, Log& log)
    : params_(std::move(params)), secret_(std::move(secret)), log_(log) {
    if (params_.urls.empty()) throw BadInput("name at least one server");
    for (const std::string& url : params_.urls) (void)http::parse_location(url);
}

std::string WorkServers::as_text(const Uuid& worker) const {
    return views::dump({{"worker", worker.to_string()},
                        {"secret", secret_},
                        {"urls", params_.urls},
                        {"token", params_.token},
                        {"ca_file", params_.ca_file}});
}

WorkServers::Restored WorkServers::from_text(const std::string& text, Log& log) {
    const auto shape = views::Json::parse(text);
    Params params{.urls = shape.at("urls").get<std::vector<std::string>>(),
                  .token = shape.at("token").get<std::string>(),
                  .ca_file = shape.at("ca_file").get<std::string>()};
    const auto worker = Uuid::parse(shape.at("worker").get<std::string>());
    return {
        std::shared_ptr<WorkServers>(new WorkServers(std::move(params), shape.at("secret").get<std::string>(), log)),
        worker.value_or(Uuid())};
}

void WorkServers::leave(std::size_t server, std::string_view why) {
    if (count() == 1) return;
    std::size_t expected = server;
    const std::size_t next = (server + 1) % count();
    if (!current_.compare_exchange_strong(expected, next)) return;
    const std::lock_guard lock(mutex_);
    const auto now = Steady::now();
    if (said_at_ && now - *said_at_ < say_at_most_every) return;  // the servers may both be without their store
    said_at_ = now;
    log_.write(
        {LogLevel::Warning, concat("Changing over from the server ", url(server), " to ", url(next), ": ", why), {}});
}

std::unique_ptr<http::Client> WorkServers::connect(std::size_t server, Duration answer_timeout) const {
    return std::make_unique<http::Client>(
        http::ClientParams{.url = url(server),
                           .token = params_.token,
                           .ca_file = params_.ca_file,
                           .connect_timeout = count() > 1 ? connect_timeout_of_several : connect_timeout,
                           .answer_timeout = answer_timeout,
                           .max_answer_bytes = most_answer_bytes});
}

http::Headers WorkServers::headers(int protocol) const {
    return {{"Holdfast-Worker-Secret", secret_},
            {"Holdfast-Protocol", std::to_string(protocol)},
            {"Content-Type", "application/json"}};
}

views::Json WorkServers::read(const http::Client::Answer& answer, std::size_t server) const {
    views::Json body = views::Json::parse(answer.body, nullptr, false);
    const bool is_problem = answer.status >= 400;
    const bool is_ours = body.is_object() && (!is_problem || body.contains("code"));
    if (!is_ours && answer.status >= 500)
        throw Unavailable(concat(url(server), " answered with status ", answer.status));
    if (!is_ours) throw Unusable(is_no_holdfast(url(server), answer.status));
    if (!is_problem) return body;
    const std::string sentence = concat(url(server), ": ", detail_of(body, answer.status));
    const std::string code = body.value("code", "");
    if (code == "UNKNOWN_WORKER") throw UnknownWorker(sentence);
    if (code == "TOO_LARGE") throw BodyTooLarge(sentence);
    if (code == "NO_SUCH_ROUTE") throw Unusable(is_no_holdfast(url(server), answer.status));
    if (answer.status == 429 || answer.status >= 500) throw Unavailable(sentence);
    throw Unusable(sentence);
}

views::WorkWelcome WorkServers::meet(http::Client& client, std::size_t server) const {
    const auto body = read(client.send("GET", "/api/work"), server);
    if (!body.contains("protocol")) throw Unusable(is_no_holdfast(url(server), 200));
    auto welcome = views::from_json_shape<views::WorkWelcome>(body);
    if (!views::common_protocol(welcome))
        throw Unusable(concat(
            "the server ", url(server), " (", welcome.version, ") speaks the versions ", welcome.oldest_protocol,
            " to ", welcome.protocol, " of the worker protocol, and this worker ", views::oldest_work_protocol,
            " to ", views::newest_work_protocol, ": use a worker and a server whose releases are at most one apart"));
    return welcome;
}

// ---- A connection -----------------------------------------------------------------------------------------------

void WorkConnection::meet_current(std::size_t server) {
    if (server_ != server) {
        client_ = servers_->connect(server, answer_timeout_);
        welcome_.reset();
        server_ = server;
    }
    if (!welcome_) welcome_ = servers_->meet(*client_, server);
}

/// One server is tried twice, because it may have closed the connection just when a request reused it.
template <typename Call>
views::Json WorkConnection::try_servers(const Call& call) {
    const std::lock_guard lock(turn_);
    const auto began = Steady::now();
    const std::size_t most_tries = std::max<std::size_t>(2, servers_->count());
    for (std::size_t tries = 1;; ++tries) {
        const std::size_t server = servers_->current();
        try {
            meet_current(server);
            return call(server);
        } catch (const UnknownWorker&) {
            throw;
        } catch (const BodyTooLarge&) {
            throw;
        } catch (const Unavailable& failure) {
            server_.reset();
            servers_->leave(server, failure.what());
            if (tries == most_tries || Steady::now() - began > answer_timeout_) throw;
        } catch (const Unusable& refusal) {
            server_.reset();
            servers_->leave(server, refusal.what());
            throw;
        }
    }
}

views::Json WorkConnection::post(const std::string& path, const std::string& body) {
    return try_servers([&](std::size_t server) {
        if (body.size() > welcome_->max_body_bytes)
            throw BodyTooLarge(concat(servers_->url(server), " takes requests of at most ", welcome_->max_body_bytes,
                                      " bytes, and this one has ", body.size()));
        const int protocol = views::common_protocol(*welcome_).value();
        return servers_->read(client_->send("POST", path, body, servers_->headers(protocol)), server);
    });
}

void WorkConnection::meet() {
    (void)try_servers([](std::size_t) { return views::Json(); });
}

}  // namespace holdfast::remote
