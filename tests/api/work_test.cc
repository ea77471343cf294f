#include "views/work.h"
#include "proof/crew/patience.h"
#include "server/api/route.h"
#include "tests/api/api_fixture.h"

namespace holdfast::api_test {
namespace {

using store::Scope;

const std::string secret = "hw_" + std::string(43, 'a');
const std::string other_secret = "hw_" + std::string(43, 'b');

class ApiWork : public ApiOnEveryStore {
protected:
    void SetUp() override {
        ApiOnEveryStore::SetUp();
        token = make_token("farm", Scope::Work);
    }

    template <typename Request>
    Answer call(const std::string& path, const Request& request, const std::string& as = secret) {
        return call_with(path, views::dump(views::to_json_shape(request)), {{"holdfast-worker-secret", as}});
    }
    Answer call_with(const std::string& path, const std::string& body, std::map<std::string, std::string> headers) {
        headers.emplace("authorization", "Bearer " + token);
        headers.emplace("holdfast-protocol", "1");
        return send({.method = "POST", .target = "/api/work/" + path, .body = body, .headers = std::move(headers)});
    }
    Uuid join(const std::string& as = secret, const std::vector<std::string>& queues = {"default"}) {
        const auto worker = contract::a_worker(queues, {"task:resize"});
        const Answer answer = call("register", worker, as);
        EXPECT_EQ(answer.status, 200) << answer.text;
        return worker.id;
    }
    store::TurnParams claim_of(const Uuid& worker) {
        return {.worker = worker, .request = contract::random_uuid(), .to_start = 1};
    }
    store::TaskLease claim_one(const Uuid& worker) {
        const Answer answer = call("turn", claim_of(worker));
        EXPECT_EQ(answer.status, 200) << answer.text;
        const auto turned = views::from_json_shape<store::TurnAnswer>(views::Json::parse(answer.text));
        EXPECT_THAT(turned.claimed.tasks, SizeIs(1));
        return contract::lease_of(turned.claimed.tasks.at(0));
    }
    static store::WorkerSnapshot snapshot_of(const Uuid& worker) {
        store::WorkerSnapshot snapshot;
        snapshot.worker = worker;
        return snapshot;
    }
    Uuid submit_task(const std::string& queue = "default") {
        auto task = contract::a_task(store->now(), "resize");
        task.queue = queue;
        EXPECT_EQ(store->submit({task}).at(0).status, store::SubmitStatus::Accepted);
        return task.id;
    }

    std::string token;
};
INSTANTIATE_TEST_SUITE_P(Stores, ApiWork, testing::ValuesIn(contract::store_kinds()),
                         [](const auto& store) { return contract::to_text(store.param); });

TEST_P(ApiWork, CarriesTheLifeOfATask) {
    const Uuid worker = join();
    const Uuid task = submit_task();
    const auto lease = claim_one(worker);
    EXPECT_EQ(lease.task, task);
    const Answer beat = call(
        "beat", store::BeatParams{.worker = worker,
                                  .held = {{.lease = lease, .running = true}},
                                  .progress = {{.lease = lease, .fraction = 0.5, .text = "half", .checkpoint = {}}}});
    EXPECT_EQ(beat.body.at("known"), true);
    EXPECT_EQ(beat.body.at("beat"), 1);
    const Answer turn =
        call("turn", store::TurnParams{.worker = worker, .finish = {contract::completed(lease, R"({"a": "ä\n"})")}});
    EXPECT_EQ(turn.body.at("finished").at(0).at("fenced"), "applied");
    const auto record = contract::record(*store, task);
    EXPECT_EQ(record.state, TaskState::Completed);
    EXPECT_EQ(record.result, R"({"a": "ä\n"})") << "byte for byte";
    EXPECT_EQ(record.progress->text, "half");
    EXPECT_EQ(call("leave", views::WorkLeave{worker}).body.at("done"), true);
    EXPECT_EQ(store->workers().at(0).registration.via, store::Via::Server);
    EXPECT_EQ(store->workers().at(0).status, store::WorkerStatus::Inactive);
}

TEST_P(ApiWork, RegistersAgainWithTheSameSecretOnly) {
    const auto worker = contract::a_worker();
    EXPECT_EQ(call("register", worker).status, 200);
    EXPECT_EQ(call("register", worker).status, 200) << "its answer may have been lost";
    const Answer taken = call("register", worker, other_secret);
    EXPECT_EQ(taken.code(), "FORBIDDEN");
    EXPECT_THAT(taken.detail(), HasSubstr("was registered with another secret"));
}

TEST_P(ApiWork, DoesNotTakeOverAWorkerThatHasAStoreOfItsOwn) {
    const auto worker = contract::a_worker();
    store->register_worker(worker);
    EXPECT_EQ(call("register", worker).code(), "FORBIDDEN");
    EXPECT_EQ(call("beat", contract::beat_of(worker.id)).code(), "FORBIDDEN");
    EXPECT_EQ(store->workers().at(0).registration.via, store::Via::Store);
}

TEST_P(ApiWork, RefusesEveryCallInTheNameOfAnotherWorker) {
    const Uuid worker = join();
    submit_task();
    const auto lease = claim_one(worker);
    join(other_secret);
    for (const auto& answer :
         {call("beat", contract::beat_of(worker), other_secret), call("turn", claim_of(worker), other_secret),
          call("turn", store::TurnParams{.worker = worker, .finish = {contract::completed(lease)}}, other_secret),
          call("progress",
               views::WorkProgress{worker, {{.lease = lease, .fraction = 1, .text = "x", .checkpoint = {}}}},
               other_secret),
          call("logs", views::WorkLogs{worker, {}}, other_secret),
          call("state", views::WorkState{snapshot_of(worker)}, other_secret),
          call("exited", views::WorkLeave{worker}, other_secret),
          call("leave", views::WorkLeave{worker}, other_secret)}) {
        EXPECT_EQ(answer.code(), "FORBIDDEN") << answer.text;
        EXPECT_THAT(answer.detail(), HasSubstr("a worker acts only for itself"));
    }
    EXPECT_EQ(contract::state_of(*store, lease.task), TaskState::Running);
    const Answer without = call_with("beat", views::dump(views::to_json_shape(contract::beat_of(worker))), {});
    EXPECT_EQ(without.code(), "FORBIDDEN");
    EXPECT_THAT(without.detail(), HasSubstr("in the header Holdfast-Worker-Secret"));
}

TEST_P(ApiWork, AnswersAResultForTheLeaseOfAnotherWorkerWithLeaseLost) {
    const Uuid worker = join();
    submit_task();
    const auto lease = claim_one(worker);
    const Uuid thief = join(other_secret);
    const Answer answer =
        call("turn", store::TurnParams{.worker = thief, .finish = {contract::completed(lease, "1")}}, other_secret);
    EXPECT_EQ(answer.body.at("finished").at(0).at("fenced"), "lease_lost");
    EXPECT_EQ(contract::state_of(*store, lease.task), TaskState::Running);
}

TEST_P(ApiWork, AsksAnUnknownWorkerToRegister) {
    const Uuid unknown = contract::random_uuid();
    const Answer answer = call("beat", contract::beat_of(unknown));
    EXPECT_EQ(answer.status, 404);
    EXPECT_EQ(answer.code(), "UNKNOWN_WORKER");
}

TEST_P(ApiWork, RefusesAnotherVersionOfTheProtocol) {
    const std::string body = views::dump(views::to_json_shape(contract::beat_of(join())));
    for (const char* version : {"0", "2", "one", "1 "}) {
        const Answer answer =
            call_with("beat", body, {{"holdfast-worker-secret", secret}, {"holdfast-protocol", version}});
        EXPECT_EQ(answer.code(), "PROTOCOL_MISMATCH") << version;
        EXPECT_THAT(answer.detail(), HasSubstr("speaks the versions 1 to 1 of the worker protocol"));
    }
}

TEST_P(ApiWork, NamesWhatIsWrongWithARequest) {
    const Uuid worker = join();
    const auto complaint = [&](const std::string& path, const std::string& body) {
        return call_with(path, body, {{"holdfast-worker-secret", secret}}).detail();
    };
    EXPECT_THAT(complaint("beat", "{}"), HasSubstr("worker"));
    EXPECT_THAT(complaint("turn", "[]"), HasSubstr("object"));
    auto turn = claim_of(worker);
    turn.to_start = 10'001;
    EXPECT_THAT(call("turn", turn).detail(), HasSubstr("to_start and to_hold must be from 0 to 10000"));
    auto slow = contract::a_worker();
    slow.fence_after = std::chrono::hours(2);
    EXPECT_THAT(call("register", slow).detail(), HasSubstr("fence_after must be from beat_interval to 3600 seconds"));
}

TEST_P(ApiWork, GivesAWorkerOnlyTheQueuesOfItsToken) {
    token = make_token("mail-farm", Scope::Work, {"mail"});
    const auto greedy = contract::a_worker({"mail", "default"});
    EXPECT_EQ(call("register", greedy).code(), "FORBIDDEN");
    const Uuid worker = join(secret, {"mail"});
    submit_task("default");
    const Uuid task = submit_task("mail");
    EXPECT_EQ(claim_one(worker).task, task);
    // A worker of another token, even with its secret.
    token = make_token("all", Scope::Work);
    const Uuid of_all = join(other_secret);
    token = make_token("mail-farm-2", Scope::Work, {"mail"});
    EXPECT_EQ(call("beat", contract::beat_of(of_all), other_secret).code(), "UNKNOWN_WORKER");
}

TEST_P(ApiWork, IsAllThatItsScopeIncludesAndOnlyAdminIncludesIt) {
    for (const api::Route& route : api::routes()) {
        if (!route.scope || *route.scope == Scope::Work) continue;
        const Answer answer =
            send({.method = route.method, .target = route.path, .headers = {{"authorization", "Bearer " + token}}});
        EXPECT_EQ(answer.code(), "FORBIDDEN") << route.method << " " << route.path;
    }
    for (const auto& [scope, status] :
         {std::pair(Scope::Read, 403), {Scope::Submit, 403}, {Scope::Operate, 403}, {Scope::Admin, 200}})
        EXPECT_EQ(get_as(make_token(std::string(word_of(scope)), scope), "/api/work").status, status);
    EXPECT_EQ(get_as(token, "/api/work").body.at("protocol"), 1);
}

TEST_P(ApiWork, WakesAWorkerThroughItsStream) {
    const Uuid worker = join();
    const Answer answer = send(
        {.target = "/api/work/stream?worker=" + worker.to_string(),
         .headers = {
             {"authorization", "Bearer " + token}, {"holdfast-protocol", "1"}, {"holdfast-worker-secret", secret}}});
    ASSERT_NE(answer.stream, nullptr) << answer.text;
    StreamReader reader(answer.stream);
    (void)reader.read_until("here");
    submit_task();
    (void)reader.read_until("work");
    store->order_worker({.worker = worker, .order = store::WorkerOrder::Cordon, .who = "ann"});
    (void)reader.read_until("orders");
    api->end_streams("the server stops");
    EXPECT_THAT(reader.read_until("bye").back().data, HasSubstr("the server stops"));
}

TEST_P(ApiWork, EndsTheStreamOfARevokedToken) {
    const Uuid worker = join();
    const Answer answer = send(
        {.target = "/api/work/stream?worker=" + worker.to_string(),
         .headers = {
             {"authorization", "Bearer " + token}, {"holdfast-protocol", "1"}, {"holdfast-worker-secret", secret}}});
    ASSERT_NE(answer.stream, nullptr) << answer.text;
    StreamReader reader(answer.stream);
    store->revoke_token("farm", "ann");
    EXPECT_THAT(reader.read_until("bye").back().data, HasSubstr("revoked"));
}

TEST_P(ApiWork, ReportsAStreamThatEndsUntilTheNextBeat) {
    const Uuid worker = join();
    call("beat", contract::beat_of(worker));
    Answer answer = send(
        {.target = "/api/work/stream?worker=" + worker.to_string(),
         .headers = {
             {"authorization", "Bearer " + token}, {"holdfast-protocol", "1"}, {"holdfast-worker-secret", secret}}});
    {
        StreamReader reader(answer.stream);
        for (int heard = 0; heard < 2; ++heard) (void)reader.read_until("here");  // 2 s apart: the view is unbroken
        (void)reader.read_until("here");
    }
    EXPECT_FALSE(store->look().workers.at(0).disconnected);
    answer.stream.reset();
    crew::wait_until([&] { return store->look().workers.at(0).disconnected; }, "the report");
    call("beat", contract::beat_of(worker));
    EXPECT_FALSE(store->look().workers.at(0).disconnected);
}

// ---- Versions ------------------------------------------------------------------------------------

TEST(WorkProtocol, IsTheNewestThatBothSpeak) {
    using views::common_protocol;
    using views::WorkWelcome;
    const WorkWelcome older{.protocol = 3, .oldest_protocol = 2}, newer{.protocol = 5, .oldest_protocol = 4},
        far{.protocol = 7, .oldest_protocol = 6}, ancient{.protocol = 1, .oldest_protocol = 1};
    EXPECT_EQ(common_protocol(older, 3, 4), 3);
    EXPECT_EQ(common_protocol(newer, 3, 4), 4);
    EXPECT_EQ(common_protocol(far, 3, 4), std::nullopt);
    EXPECT_EQ(common_protocol(ancient, 3, 4), std::nullopt);
}

}  // namespace
}  // namespace holdfast::api_test
