#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "config/config.h"
#include "platform/system_random.h"
#include "server/api/api.h"
#include "store_contract/moves.h"
#include "store_contract/test_database.h"

namespace holdfast::api_test {

using namespace std::chrono_literals;
using contract::StoreKind;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using Value = nlohmann::json;

/// Keeps every line, for tests that ask what was said.
class KeptLog final : public Log {
public:
    void write(const LogLine& line) override;
    [[nodiscard]] std::vector<std::string> messages() const;
    [[nodiscard]] std::vector<std::pair<LogLevel, std::string>> levels_and_messages() const;

private:
    mutable std::mutex mutex_;
    std::vector<std::pair<LogLevel, std::string>> lines_;
};

struct Answer {
    int status = 0;
    Value body = {};  ///< null when the answer is not JSON
    std::string text = {};
    std::string content_type = {};
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::shared_ptr<http::StreamSource> stream = {};

    [[nodiscard]] std::string header(const std::string& name) const;
    [[nodiscard]] std::string code() const { return body.is_object() ? body.value("code", "") : ""; }
    [[nodiscard]] std::string detail() const { return body.is_object() ? body.value("detail", "") : ""; }
};

struct Sent {
    std::string method = "GET";
    std::string target = {};  ///< "/api/tasks?limit=2"
    std::string body = {};
    std::map<std::string, std::string> headers = {};
    std::string peer = "127.0.0.1";
    bool secure = false;
};
[[nodiscard]] http::Request request_of(const Sent& sent);

/// An API over a fresh store with a small catalog. Every JSON answer is checked by the schema that the route
/// promises.
class ApiFixture : public testing::Test {
protected:
    explicit ApiFixture(StoreKind kind = StoreKind::Sqlite) : store_kind(kind) {}
    void SetUp() override;
    void TearDown() override;

    /// Starts the API anew, with other rules about who may do what.
    void restart(api::Login login);
    [[nodiscard]] api::ApiParts parts(api::Login login);

    Answer send(const Sent& sent);
    Answer get(const std::string& target) { return send({.target = target}); }
    Answer post(const std::string& target, const Value& body = Value::object());
    Answer put(const std::string& target, const Value& body);
    Answer del(const std::string& target) { return send({.method = "DELETE", .target = target}); }

    /// The same with a token.
    Answer get_as(const std::string& token, const std::string& target);
    Answer post_as(const std::string& token, const std::string& target, const Value& body = Value::object());

    /// Makes a token and returns its secret.
    std::string make_token(const std::string& name, store::Scope scope, std::vector<std::string> queues = {});

    /// Submits a task by its name, and returns its id.
    std::string submit(const std::string& name = "resize", Value more = Value::object());
    /// Has a worker run every task that it can, and end it so.
    void complete_all(const std::string& result = "null");
    /// A worker that can run everything.
    Uuid join_worker();
    /// Claims one task and leaves it RUNNING.
    store::TaskLease start_one(const Uuid& worker);

    [[nodiscard]] std::vector<std::string> kinds_of_events();
    [[nodiscard]] std::vector<store::EventRecord> audits();

    StoreKind store_kind;
    std::unique_ptr<contract::TestDatabase> database;
    std::unique_ptr<store::Store> store;
    std::shared_ptr<const config::Config> config;
    platform::SystemRandom random;
    KeptLog log;
    std::unique_ptr<api::Api> api;
    std::set<std::string> answered;  ///< "GET /api/tasks": routes that answered with success

private:
    void load_config();
    void check(const Sent& sent, const Answer& answer);
    [[nodiscard]] std::string url() const;
    std::string directory_;
};

/// The same on every store.
class ApiOnEveryStore : public ApiFixture, public testing::WithParamInterface<StoreKind> {
protected:
    ApiOnEveryStore() : ApiFixture(GetParam()) {}
};

/// Takes messages from a stream until `wanted` says that it has seen enough, for ten seconds at most.
class StreamReader {
public:
    explicit StreamReader(std::shared_ptr<http::StreamSource> source);
    /// The messages up to and with the first of that type.
    std::vector<http::ServerSentEvent> read_until(const std::string& event);
    [[nodiscard]] bool ended() const { return source_->ended(); }

private:
    struct Bell {
        std::mutex mutex;
        std::condition_variable rung;
        bool is_rung = false;
    };
    std::shared_ptr<http::StreamSource> source_;
    std::shared_ptr<Bell> bell_ = std::make_shared<Bell>();
    std::vector<http::ServerSentEvent> unread_;
};

}  // namespace holdfast::api_test
