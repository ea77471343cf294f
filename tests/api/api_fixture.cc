#include "tests/api/api_fixture.h"

#include <stdlib.h>
#include <set>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <future>

#include "base/ids.h"
#include "base/text.h"
#include "client/connect.h"
#include "proof/crew/patience.h"
#include "server/api/access.h"
#include "server/api/route.h"
#include "server/api/schema.h"
#include "worker/sweep_thread.h"

namespace holdfast::api_test {

namespace {

constexpr const char* catalog = R"(
tasks:
  backup:
    script: backup "$DB"
    env: { DB: "{{ input.db }}" }
    queue: nightly
    max_attempts: 3
  resize:
    type: function
  render:
    type: docker
    image: example/render:3
    command: [render, "{{ input.file }}"]
    concurrency_key: "file-{{ input.file }}"
workflows:
  release:
    description: Build, ask, ship
    input:
      day: { type: text, required: true }
      mode: { type: text, enum: [full, quick], default: full }
    steps:
      build: { task: resize }
      ask: { approval: "Ship {{ input.day }}?", depends_on: [build] }
      ship: { task: resize, depends_on: [ask], queue: shipping }
  each:
    steps:
      part: { task: resize, for_each: [1, 2, 3], input: { n: "{{ item }}" } }
  idle:
    steps:
      nap: { wait: 1h }
schedules:
  nightly: { workflow: idle, every: 1h }
)";

std::pair<std::string, std::string> cut(const std::string& text, char at) {
    const auto place = text.find(at);
    if (place == std::string::npos) return {text, ""};
    return {text.substr(0, place), text.substr(place + 1)};
}

Answer from_response(const http::Response& response) {
    Answer answer{.status = response.status,
                  .body = {},
                  .text = response.embedded.empty() ? response.body : std::string(response.embedded),
                  .content_type = response.content_type,
                  .headers = response.headers,
                  .stream = {}};
    if (answer.content_type.find("json") != std::string::npos) answer.body = Value::parse(answer.text);
    return answer;
}

Answer await(http::DeferredReply& reply) {
    auto done = std::make_shared<std::promise<void>>();
    reply.on_complete([done] { done->set_value(); });
    if (done->get_future().wait_for(20s) != std::future_status::ready) return {};
    return from_response(reply.take().value());
}

Answer from_reply(http::Reply reply) {
    if (auto* response = std::get_if<http::Response>(&reply)) return from_response(*response);
    if (auto* deferred = std::get_if<http::Deferred>(&reply)) return await(*deferred->reply);
    const auto& stream = std::get<http::EventStream>(reply);
    return {.status = 200, .content_type = "text/event-stream", .headers = stream.headers, .stream = stream.source};
}

}  // namespace

void KeptLog::write(const LogLine& line) {
    const std::lock_guard lock(mutex_);
    lines_.emplace_back(line.level, line.message);
}

std::vector<std::string> KeptLog::messages() const {
    std::vector<std::string> messages;
    for (const auto& [level, message] : levels_and_messages()) messages.push_back(message);
    return messages;
}

std::vector<std::pair<LogLevel, std::string>> KeptLog::levels_and_messages() const {
    const std::lock_guard lock(mutex_);
    return lines_;
}

std::string Answer::header(const std::string& name) const {
    for (const auto& [each, value] : headers)
        if (each == name) return value;
    return "";
}

http::Request request_of(const Sent& sent) {
    http::Request request;
    request.method = sent.method;
    request.body = sent.body;
    request.peer = sent.peer;
    request.secure = sent.secure;
    const auto [path, query] = cut(sent.target, '?');
    for (std::string rest = path.substr(1); !rest.empty();) {
        auto [segment, more] = cut(rest, '/');
        request.path.push_back(segment);
        rest = more;
    }
    for (std::string rest = query; !rest.empty();) {
        auto [pair, more] = cut(rest, '&');
        auto [name, value] = cut(pair, '=');
        request.query[name] = value;
        rest = more;
    }
    std::map<std::string, std::string> headers = {{"host", "127.0.0.1:7070"}};
    if (!sent.body.empty()) headers["content-type"] = "application/json";
    for (const auto& [name, value] : sent.headers) headers[name] = value;
    for (const auto& [name, value] : headers)
        if (!value.empty()) request.headers.emplace_back(name, value);
    return request;
}

void ApiFixture::SetUp() {
    std::string pattern = (std::filesystem::temp_directory_path() / "holdfast-api-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    database = contract::make_database(store_kind);
    store = client::connect({.url = url(), .limits = {}});
    load_config();
    restart(api::Login::WhenTokensExist);
}

void ApiFixture::TearDown() {
    api.reset();
    store.reset();
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
}

std::string ApiFixture::url() const {
    return store_kind == StoreKind::Sqlite ? "sqlite:" + database->address() : database->address();
}

void ApiFixture::load_config() {
    const std::string file = directory_ + "/holdfast.yaml";
    std::ofstream(file) << catalog;
    config::LoadParams params;
    params.file = file;
    params.environment = {{"HOLDFAST_STORE", url()}};
    auto loaded = config::load(params);
    if (!loaded.ok()) {
        for (const auto& error : loaded.error()) ADD_FAILURE() << to_text(error);
        FAIL();
    }
    config = std::make_shared<const config::Config>(std::move(loaded).value());
}

api::ApiParts ApiFixture::parts(api::Login login) {
    api::ApiParts made;
    made.open_store = [url = url()] { return client::connect({.url = url, .limits = {}}); };
    made.config = [this] { return config; };
    made.version = "1.2.3";
    made.login = login;
    made.statistics_kept = Duration::zero();  // tests look at once at what they did
    made.readiness = [] { return std::vector<api::Readiness>{{"store", {.ok = true, .detail = "answers"}}}; };
    made.metrics = [] { return std::string("holdfast_tasks 1\n"); };
    made.host_watch = [](const config::Config& used) { return worker::host_watch_for(used.store.url, {}); };
    made.page = [](const std::string& path, std::string_view) -> std::optional<api::PageAsset> {
        if (path == "/") return api::PageAsset{.bytes = "<html>", .content_type = "text/html"};
        return std::nullopt;
    };
    return made;
}

void ApiFixture::restart(api::Login login) {
    api.reset();
    api = std::make_unique<api::Api>(parts(login), random, log);
}

Answer ApiFixture::send(const Sent& sent) {
    Answer answer = from_reply(api->handle(request_of(sent)));
    check(sent, answer);
    return answer;
}

/// What the OpenAPI document promises is what was answered.
void ApiFixture::check(const Sent& sent, const Answer& answer) {
    if (answer.body.is_null()) return;
    std::string wanted = "Problem";
    if (answer.status < 400 || answer.body.contains("status") == false || !answer.body.at("status").is_number()) {
        const auto match = api::match_route(sent.method, request_of(sent).path);
        wanted = match.route->answer;
        if (answer.status < 400) answered.insert(match.route->method + " " + match.route->path);
        const bool may_be_200 = match.route->may_exist && answer.status == 200;
        EXPECT_TRUE(answer.status == match.route->status || may_be_200 || answer.status == 503) << sent.target;
    } else {
        EXPECT_EQ(answer.content_type, "application/problem+json");
        EXPECT_EQ(answer.status, answer.body.at("status")) << answer.text;
    }
    for (const auto& fault : api::schema::faults_of(answer.body, api::schemas().at(wanted), api::schemas()))
        ADD_FAILURE() << sent.method << " " << sent.target << " is not a " << wanted << ": " << fault.where << " "
                      << fault.detail << "\n"
                      << answer.text;
}

Answer ApiFixture::post(const std::string& target, const Value& body) {
    return send({.method = "POST", .target = target, .body = body.dump()});
}

Answer ApiFixture::put(const std::string& target, const Value& body) {
    return send({.method = "PUT", .target = target, .body = body.dump()});
}

Answer ApiFixture::get_as(const std::string& token, const std::string& target) {
    return send({.target = target, .headers = {{"authorization", "Bearer " + token}}});
}

Answer ApiFixture::post_as(const std::string& token, const std::string& target, const Value& body) {
    return send(
        {.method = "POST", .target = target, .body = body.dump(), .headers = {{"authorization", "Bearer " + token}}});
}

std::string ApiFixture::make_token(const std::string& name, store::Scope scope, std::vector<std::string> queues) {
    std::string secret = api::make_token_secret();
    store::NewToken token;
    token.id = make_uuid_v4(random);
    token.name = name;
    token.hash = api::hash_token_secret(secret);
    token.scope = scope;
    token.queues = std::move(queues);
    token.who = "test";
    EXPECT_EQ(store->create_token(token), store::CreateTokenStatus::Created);
    return secret;
}

std::string ApiFixture::submit(const std::string& name, Value more) {
    more["name"] = name;
    const Answer answer = post("/api/tasks", more);
    EXPECT_EQ(answer.status, 201) << answer.text;
    return answer.body.value("id", "");
}

Uuid ApiFixture::join_worker() {
    return contract::join(*store, contract::a_worker({"default", "nightly", "shipping"},
                                                     {"task:resize", "task:other", "script", "docker"}));
}

void ApiFixture::complete_all(const std::string& result) {
    const Uuid worker = join_worker();
    for (const auto& task : contract::claim_fully(*store, worker, 100))
        contract::finish(*store, worker, contract::completed(contract::lease_of(task), result));
}

store::TaskLease ApiFixture::start_one(const Uuid& worker) {
    const auto claimed = contract::claim(*store, worker, 1);
    EXPECT_THAT(claimed.tasks, SizeIs(1));
    return contract::lease_of(claimed.tasks.at(0));
}

std::vector<std::string> ApiFixture::kinds_of_events() {
    std::vector<std::string> kinds;
    for (const auto& event : store->events({.task = {}, .worker = {}, .after_id = 0, .limit = 1000}))
        kinds.push_back(event.kind);
    return kinds;
}

std::vector<store::EventRecord> ApiFixture::audits() {
    static const std::set<std::string> written_by_handlers = {"task_retried", "swept", "pruned"};
    std::vector<store::EventRecord> found;
    for (auto& event : store->events({.task = {}, .worker = {}, .after_id = 0, .limit = 1000}))
        if (written_by_handlers.contains(event.kind)) found.push_back(std::move(event));
    return found;
}

StreamReader::StreamReader(std::shared_ptr<http::StreamSource> source) : source_(std::move(source)) {
    source_->on_news([bell = bell_] {
        const std::lock_guard lock(bell->mutex);
        bell->is_rung = true;
        bell->rung.notify_all();
    });
}

std::vector<http::ServerSentEvent> StreamReader::read_until(const std::string& event) {
    std::vector<http::ServerSentEvent> read;
    const auto until = std::chrono::steady_clock::now() + crew::patience;
    while (std::chrono::steady_clock::now() < until) {
        for (auto& message : source_->take()) unread_.push_back(std::move(message));
        while (!unread_.empty()) {
            read.push_back(std::move(unread_.front()));
            unread_.erase(unread_.begin());
            if (read.back().event == event) return read;
        }
        std::unique_lock lock(bell_->mutex);
        bell_->rung.wait_for(lock, 1s, [&] { return bell_->is_rung; });
        bell_->is_rung = false;
    }
    ADD_FAILURE() << "no message of type " << event;
    return read;
}

}  // namespace holdfast::api_test
