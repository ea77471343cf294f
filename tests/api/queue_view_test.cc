#include <chrono>
#include <regex>
#include <thread>

#include "core/workflow/workflow.h"
#include "server/api/route.h"
#include "tests/api/api_fixture.h"
#include "views/work.h"

namespace holdfast::api_test {

namespace {

/// What a request names: something of the token's queue, or something of another.
struct Subject {
    std::string task, job, worker, step, schedule, queue, key, catalog_task, workflow, token;
};

/// A store and an API over it. Everything of the queue `default` is the same in all of them.
class World : public ApiFixture {
public:
    World(StoreKind kind, bool has_other_queues) : ApiFixture(kind), has_other_(has_other_queues) {
        SetUp();
        fill();
    }
    ~World() override { TearDown(); }
    void TestBody() override {}

    using ApiFixture::api;
    using ApiFixture::get_as;
    using ApiFixture::send;
    using ApiFixture::store;

    Subject mine, other;
    std::string team, boss;  ///< tokens: of the queue `default`, of all

    [[nodiscard]] std::string submitted(const Value& body) {
        await_next_millisecond();
        return send({.method = "POST", .target = "/api/tasks", .body = body.dump(), .headers = bearer(boss)})
            .body.value("id", "");
    }
    [[nodiscard]] static std::map<std::string, std::string> bearer(const std::string& token) {
        return {{"authorization", "Bearer " + token}};
    }
    void cancel_as_boss(const std::string& task) {
        EXPECT_EQ(post_as(boss, "/api/tasks/" + task + "/cancel").status, 200);
    }

private:
    /// Ids made one after the other are in order when they are of different milliseconds.
    static void await_next_millisecond() {
        const auto now = [] {
            return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
        };
        for (const auto before = now(); now() == before;) std::this_thread::yield();
    }
    std::string start(const std::string& yaml) {
        await_next_millisecond();
        return post_as(boss, "/api/jobs", {{"yaml", yaml}}).body.value("id", "");
    }
    void put_schedule(const std::string& name, const std::string& workflow) {
        store->put_schedule({.name = name,
                             .timing = R"({"every": "1h"})",
                             .definition = core::to_json_text(core::bundle_of(workflow, config->workflows)),
                             .input = "{}"},
                            "test");
    }
    /// Ends one task after it has printed something, and leaves the next RUNNING.
    void work(const std::string& name, const std::vector<std::string>& queues) {
        auto registration = contract::a_worker(queues, {"task:resize", "script"});
        registration.name = name;
        const Uuid worker = contract::join(*store, registration);
        const auto tasks = contract::claim_fully(*store, worker, 2);
        ASSERT_THAT(tasks, SizeIs(2));
        const auto first = contract::lease_of(tasks[0]);
        store->append_logs(
            worker,
            {{.task = first.task, .lease = first.lease, .sequence = 0, .stream = "stdout", .text = name, .at = {}}});
        contract::finish(*store, worker, contract::completed(first, "\"" + name + "\""));
        const auto second = contract::lease_of(tasks[1]);
        store->beat(contract::beat_of(worker, {{.lease = second, .running = true}}));
        store->append_worker_snapshot({.worker = worker, .at = {}, .running = 1, .capacity = 4});
    }

    void fill() {
        boss = make_token("boss", store::Scope::Admin);
        team = make_token("team", store::Scope::Admin, {"default"});
        mine = {.task = {},
                .job = {},
                .worker = {},
                .step = "part",
                .schedule = "hourly",
                .queue = "default",
                .key = "disk",
                .catalog_task = "resize",
                .workflow = "each",
                .token = "boss"};
        other = {.task = {},
                 .job = {},
                 .worker = {},
                 .step = "build",
                 .schedule = "deliveries",
                 .queue = "shipping",
                 .key = "dock",
                 .catalog_task = "backup",
                 .workflow = "release",
                 .token = "team"};
        if (has_other_)
            fill_other();
        else
            forget_other();
        share_a_worker();
        mine.task = submitted({{"name", "resize"}, {"args", {{"n", 1}}}});
        (void)submitted({{"name", "resize"}, {"args", {{"n", 2}}}});
        work("mine", {"default"});
        mine.worker = "mine";
        if (has_other_) start_other();
        mine.job = start("steps: {part: {task: resize}}");
        put_schedule("hourly", "each");
        store->declare_key({.key = "disk", .queue = "default", .limit = 2}, "test");
        cancel_as_boss(submitted({{"name", "resize"}, {"concurrency", {{"key", "lane"}}}}));
        if (has_other_) (void)submitted({{"name", "resize"}, {"queue", "shipping"}});
    }

    void fill_other() {
        other.task = submitted({{"name", "resize"}, {"queue", "shipping"}, {"concurrency", {{"key", "lane"}}}});
        for (int i = 0; i < 2; ++i) (void)submitted({{"name", "resize"}, {"queue", "shipping"}});
        work("other", {"shipping"});
        other.worker = "other";
        cancel_as_boss(submitted({{"name", "resize"}, {"queue", "shipping"}}));
        put_schedule("deliveries", "release");
        store->declare_key({.key = "dock", .queue = "shipping", .limit = 1}, "test");
        store->declare_key({.key = "gate", .queue = "", .limit = 1}, "test");
        store->set_queue_paused("nightly", true, "test");
    }
    /// A worker of both queues, with a task of the other one. There are none of `default` yet.
    void share_a_worker() {
        auto registration = contract::a_worker({"default"}, {"task:resize"});
        if (has_other_) registration.queues.emplace_back("shipping");
        registration.name = "shared";
        const Uuid worker = contract::join(*store, registration);
        std::vector<store::HeldLease> held;
        for (const auto& task : contract::claim_fully(*store, worker, 1))
            held.push_back({.lease = contract::lease_of(task), .running = true});
        ASSERT_THAT(held, SizeIs(has_other_ ? 1 : 0));
        store->beat(contract::beat_of(worker, held));
    }
    void start_other() {
        (void)submitted({{"name", "backup"}, {"args", {{"db", "x"}}}});
        other.job = start("steps: {build: {task: resize, queue: shipping}}");
        (void)start("steps: {nap: {wait: 1h}}");
    }
    void forget_other() {
        other.task = other.job = "0198c0de-0000-7000-8000-000000000001";
        other.worker = "other";
        auto limited = std::make_shared<config::Config>(*config);
        limited->tasks.erase("backup");
        limited->workflows.erase("release");
        limited->workflows.erase("idle");
        config = limited;
    }

    const bool has_other_;
};

// ---- Requests for every route ---------------------------------------------------------------------------------

/// One value for each parameter of any path or query. A new name fails the test until it gets one.
std::string value_of(const std::string& path, const std::string& name, const Subject& subject) {
    const bool is_job = path.starts_with("/api/jobs");
    const std::map<std::string, std::string> values = {
        {"id", path.starts_with("/api/workers") ? subject.worker
               : is_job                         ? subject.job
                                                : subject.task},
        {"step", subject.step},
        {"key", subject.key},
        {"name", path.starts_with("/api/queues")          ? subject.queue
                 : path.starts_with("/api/schedules")     ? subject.schedule
                 : path.starts_with("/api/catalog/tasks") ? subject.catalog_task
                 : path.starts_with("/api/catalog")       ? subject.workflow
                 : path.starts_with("/api/tokens")        ? subject.token
                                                          : "resize"},
        {"queue", subject.queue},
        {"worker", subject.worker},
        {"parent", subject.job},
        {"workflow", subject.workflow},
        {"task", subject.task},
        {"job", subject.job},
        {"state", is_job ? "RUNNING,PENDING" : "COMPLETED,PENDING,RUNNING,CANCELLED"},
        {"kind", "cancelled"},
        {"who", "boss"},
        {"text", "cancelled"},
        {"since", "2020-01-01T00:00:00Z"},
        {"until", "2199-01-01T00:00:00Z"},
        {"after", path == "/api/tasks" || path == "/api/jobs" ? "ffffffff-0000-7000-8000-000000000000" : "0"},
        {"limit", "3"},
        {"timeout", "1ms"},
        {"threshold", "1ms"},
        {"window", "1h"},
        {"buckets", "1"},
        {"all", "true"},
        {"children", "true"},
        {"items", "true"},
    };
    EXPECT_TRUE(values.contains(name)) << path << ": say what " << name << " is of one's own queue, and of another";
    return values.contains(name) ? values.at(name) : "";
}

template <typename Record>
Value shape_of(const Record& record) {
    return Value::parse(views::dump(views::to_json_shape(record)));
}

/// Calls of a worker, which have tests of their own: these do not come from it.
std::map<std::string, Value> bodies_of_work(const Subject& subject) {
    auto worker = contract::a_worker({subject.queue});
    worker.id = Uuid({1});
    store::WorkerSnapshot snapshot;
    snapshot.worker = worker.id;
    return {{"WorkRegister", shape_of(worker)},
            {"WorkBeat", shape_of(contract::beat_of(worker.id))},
            {"WorkTurn", shape_of(store::TurnParams{.worker = worker.id, .to_start = 1})},
            {"WorkProgress", shape_of(views::WorkProgress{worker.id, {}})},
            {"WorkLogs", shape_of(views::WorkLogs{worker.id, {}})},
            {"WorkState", shape_of(views::WorkState{snapshot})},
            {"WorkLeave", shape_of(views::WorkLeave{worker.id})}};
}

/// The same for bodies, by their schemas.
Value body_of(const std::string& schema, const Subject& subject, const World& world) {
    const Value definition = {
        {"main", "w"},
        {"workflows",
         {{"w", {{"name", "w"}, {"steps", {{{"name", "s"}, {"task", "resize"}, {"queue", subject.queue}}}}}}}}};
    std::map<std::string, Value> bodies = {
        {"", nullptr},
        {"TaskSubmissions", {{"name", subject.catalog_task}, {"args", {{"db", "x"}}}, {"queue", subject.queue}}},
        {"JobSubmission", {{"workflow", subject.workflow}, {"input", {{"day", "monday"}}}}},
        {"Reason", {{"reason", "asked"}}},
        {"Force", {{"state", "FAILED"}, {"reason", "asked"}}},
        {"JobRetry", Value::object()},
        {"Decision", {{"approve", true}}},
        {"Yaml",
         {{"yaml", "steps: {a: {task: " + subject.catalog_task + "}, b: {workflow: " + subject.workflow + "}}"}}},
        {"KeyForm", {{"limit", 3}, {"queue", subject.queue}}},
        {"ScheduleForm",
         {{"schedules", {{{"name", "new"}, {"timing", {{"interval_ms", 3600000}}}, {"definition", definition}}}}}},
        {"Threshold", Value::object()},
        {"Prune", {{"dry_run", true}}},
        {"Login", {{"token", world.team}}},
        {"TokenForm", {{"name", "new"}, {"scope", "read"}}},
    };
    bodies.merge(bodies_of_work(subject));
    EXPECT_TRUE(bodies.contains(schema)) << "say what a " << schema << " is of one's own queue, and of another";
    return bodies.contains(schema) ? bodies.at(schema) : Value();
}

std::string path_for(const api::Route& route, const Subject& subject) {
    std::string path;
    for (std::string rest = route.path.substr(1); !rest.empty();) {
        const auto end = std::min(rest.find('/'), rest.size());
        const std::string segment = rest.substr(0, end);
        path += "/" + (segment.starts_with('{') ? value_of(route.path, segment.substr(1, segment.size() - 2), subject)
                                                : segment);
        rest = end == rest.size() ? "" : rest.substr(end + 1);
    }
    return path;
}

/// A request without parameters, and one with each of them alone; a wait always says for how long.
std::vector<std::string> targets_of(const api::Route& route, const Subject& subject) {
    const std::string path = path_for(route, subject);
    std::vector<std::string> targets = {path};
    for (const auto& parameter : route.query) {
        const std::string target = path + "?" + parameter.name + "=" + value_of(route.path, parameter.name, subject);
        if (parameter.name == "timeout")
            targets.front() = target;
        else
            targets.push_back(target);
    }
    return targets;
}

// ---- Answers that can be compared -----------------------------------------------------------------------------

/// Numbers that are given out in the whole store, and times.
const std::set<std::string> numbers_of_the_store = {"id",  "lease", "offset", "next",           "seconds_ago", "p50",
                                                    "p95", "p99",   "max",    "oldest_waiting", "quiet_for",   "for"};

Value comparable(const Value& value, std::vector<std::string>& ids, const std::string& key = {}) {
    static const std::regex id("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
    static const std::regex time("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z"), length("[0-9.]+ ?(us|ms|s)\\b");
    static const std::regex database("(sqlite:|postgresql://)[^ ]*");
    if (value.is_object()) {
        Value made = Value::object();
        for (const auto& [name, member] : value.items()) made[name] = comparable(member, ids, name);
        return made;
    }
    if (value.is_array()) {
        Value made = Value::array();
        for (const auto& item : value) made.push_back(comparable(item, ids, key));
        return made;
    }
    if (value.is_number_float()) return "F";
    if (value.is_number() && numbers_of_the_store.contains(key)) return "N";
    if (!value.is_string()) return value;
    std::string text = std::regex_replace(value.get<std::string>(), time, "T");
    text = std::regex_replace(text, length, "L");
    text = std::regex_replace(text, database, "S");
    std::string made;
    std::smatch found;
    while (std::regex_search(text, found, id)) {
        const auto place = std::ranges::find(ids, found.str());
        made += found.prefix().str() + "#" + std::to_string(place - ids.begin());
        if (place == ids.end()) ids.push_back(found.str());
        text = found.suffix();
    }
    return made + text;
}

std::string comparable(const Answer& answer) {
    std::vector<std::string> ids;
    const std::string text = answer.body.is_null() ? "" : comparable(answer.body, ids).dump(1);
    return std::to_string(answer.status) + " " + answer.content_type + " " + text;
}

Answer ask(World& world, const std::string& token, const api::Route& route, const std::string& target,
           const Subject& subject) {
    const Value body = body_of(route.body, subject, world);
    return world.send({.method = route.method,
                       .target = target,
                       .body = body.is_null() ? "" : body.dump(),
                       .headers = World::bearer(token)});
}

bool is_read(const api::Route& route) {
    return route.method == "GET";
}

}  // namespace

class TokenOfAQueue : public testing::TestWithParam<StoreKind> {};

TEST_P(TokenOfAQueue, GetsFromEveryRouteWhatItWouldGetIfThereWereNoOtherQueue) {
    World with(GetParam(), true), without(GetParam(), false);
    const auto compare = [&](const api::Route& route, Subject World::*subject) {
        const auto targets = targets_of(route, with.*subject), same = targets_of(route, without.*subject);
        for (std::size_t i = 0; i < targets.size(); ++i)
            EXPECT_EQ(comparable(ask(with, with.team, route, targets[i], with.*subject)),
                      comparable(ask(without, without.team, route, same[i], without.*subject)))
                << route.method << " " << targets[i];
    };
    for (const bool reads : {true, false})  // orders change what is read
        for (const auto& route : api::routes()) {
            if (is_read(route) != reads) continue;
            compare(route, &World::mine);
            compare(route, &World::other);
        }
}

TEST_P(TokenOfAQueue, IsComparedInAStoreWhereOthersSeeMore) {
    World with(GetParam(), true), without(GetParam(), false);
    std::set<std::string> differing;
    for (const auto& route : api::routes()) {
        if (!is_read(route) || !route.scope) continue;
        for (const auto subject : {&World::mine, &World::other}) {
            const auto targets = targets_of(route, with.*subject), same = targets_of(route, without.*subject);
            for (std::size_t i = 0; i < targets.size(); ++i)
                if (comparable(ask(with, with.boss, route, targets[i], with.*subject)) !=
                    comparable(ask(without, without.boss, route, same[i], without.*subject)))
                    differing.insert(route.path);
        }
    }
    for (const char* path : {"/api/tasks",
                             "/api/tasks/{id}",
                             "/api/tasks/{id}/wait",
                             "/api/tasks/{id}/logs",
                             "/api/tasks/{id}/logs/stream",
                             "/api/jobs",
                             "/api/jobs/{id}",
                             "/api/jobs/{id}/definition",
                             "/api/jobs/{id}/wait",
                             "/api/jobs/{id}/steps/{step}",
                             "/api/jobs/{id}/steps/{step}/logs",
                             "/api/catalog/tasks",
                             "/api/catalog/tasks/{name}",
                             "/api/catalog/workflows",
                             "/api/catalog/workflows/{name}",
                             "/api/workers",
                             "/api/workers/{id}",
                             "/api/workers/{id}/states",
                             "/api/queues",
                             "/api/keys",
                             "/api/schedules",
                             "/api/schedules/{name}",
                             "/api/recovery/stale",
                             "/api/overview",
                             "/api/stats",
                             "/api/events"})
        EXPECT_THAT(differing, Contains(path));
}

TEST_P(TokenOfAQueue, ReadsNothingOfOtherQueuesFromTheLiveStream) {
    World world(GetParam(), true);
    const auto stream_of = [&](const std::string& token) {
        auto headers = World::bearer(token);
        headers["accept"] = "text/event-stream";
        return StreamReader(world.send({.target = "/api/events?after=0", .headers = headers}).stream);
    };
    StreamReader team = stream_of(world.team), boss = stream_of(world.boss);
    (void)team.read_until("changed");
    (void)boss.read_until("changed");
    const std::string theirs = world.submitted({{"name", "resize"}, {"queue", "shipping"}});
    world.cancel_as_boss(theirs);
    (void)boss.read_until("event");  // the server has told what it knows about the other queue
    const std::string ours = world.submitted({{"name", "resize"}});
    world.cancel_as_boss(ours);
    const Value counts = world.get_as(world.team, "/api/overview").body.at("tasks");
    std::string event, changed;
    for (const auto& message : team.read_until("event")) {
        EXPECT_EQ(message.data.find(theirs), std::string::npos) << message.data;
        if (message.event == "event") event = message.data;
    }
    EXPECT_THAT(event, HasSubstr(ours)) << "the next line is about its own queue";
    for (const auto& message : team.read_until("changed")) changed = message.data;
    EXPECT_EQ(Value::parse(changed).at("counts"), counts);
}

TEST_P(TokenOfAQueue, SeesATaskOfItsQueueWithoutTheJobThatHasOtherQueues) {
    World world(GetParam(), true);
    const auto send_as_boss = [&](const std::string& target, const Value& body) {
        return world.send(
            {.method = "POST", .target = target, .body = body.dump(), .headers = World::bearer(world.boss)});
    };
    const Value release = {{"workflow", "release"}, {"input", {{"day", "monday"}}}};
    const std::string job = send_as_boss("/api/jobs", release).body.at("id");
    const Value step = world.get_as(world.boss, "/api/jobs/" + job + "/steps/build").body.at("step");
    const std::string task = step.at("task");
    EXPECT_EQ(world.get_as(world.boss, "/api/tasks/" + task).body.at("step").at("job"), job);
    world.cancel_as_boss(task);
    const Answer seen = world.get_as(world.team, "/api/tasks/" + task);
    EXPECT_EQ(seen.status, 200) << "it goes to the queue default";
    EXPECT_EQ(seen.text.find(job), std::string::npos) << seen.text;
    EXPECT_EQ(world.get_as(world.team, "/api/events?limit=1000").text.find(job), std::string::npos);
    EXPECT_EQ(world.get_as(world.team, "/api/jobs/" + job).code(), "NOT_FOUND");
}

TEST_P(TokenOfAQueue, LearnsNothingFromAnIdempotencyKeyOfAnotherQueue) {
    World world(GetParam(), true);
    const std::string theirs =
        world.submitted({{"name", "resize"}, {"queue", "shipping"}, {"idempotency_key", "order-7"}});
    const Answer answer = world.send({.method = "POST",
                                      .target = "/api/tasks",
                                      .body = Value{{"name", "resize"}, {"idempotency_key", "order-7"}}.dump(),
                                      .headers = World::bearer(world.team)});
    EXPECT_EQ(answer.code(), "PAYLOAD_MISMATCH");
    EXPECT_EQ(answer.text.find(theirs), std::string::npos) << answer.text;
}

INSTANTIATE_TEST_SUITE_P(Store, TokenOfAQueue, testing::ValuesIn(contract::store_kinds()),
                         [](const auto& chosen) { return contract::to_text(chosen.param); });

}  // namespace holdfast::api_test
