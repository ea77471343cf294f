#include "server/api/streams.h"

#include "proof/crew/patience.h"
#include "tests/api/api_fixture.h"

namespace holdfast::api_test {

class ApiLive : public ApiFixture {
protected:
    explicit ApiLive(StoreKind kind = StoreKind::Sqlite) : ApiFixture(kind) {}
    std::shared_ptr<http::StreamSource> open(const std::string& query = "",
                                             std::map<std::string, std::string> headers = {}) {
        headers.emplace("accept", "text/event-stream");
        return send({.target = "/api/events" + query, .headers = std::move(headers)}).stream;
    }
    void write_event(const std::string& message, const std::string& kind = "note") {
        store->append_event({.kind = kind, .who = "test", .message = message});
    }
    static std::vector<std::string> messages_of(const std::vector<http::ServerSentEvent>& read) {
        std::vector<std::string> messages;
        for (const auto& message : read)
            if (message.event == "event") messages.push_back(Value::parse(message.data).at("message"));
        return messages;
    }
};

TEST_F(ApiLive, HelloComesFirstAndThenWhatHappens) {
    write_event("before");
    StreamReader reader(open());
    const auto hello = reader.read_until("hello");
    ASSERT_THAT(hello, SizeIs(1));
    EXPECT_EQ(Value::parse(hello[0].data).at("version"), "1.2.3");
    write_event("after");
    const auto read = reader.read_until("event");
    EXPECT_THAT(messages_of(read), ElementsAre("after"));
    EXPECT_FALSE(read.back().id.empty());
}

TEST_F(ApiLive, AReaderThatComesBackMissesNothing) {
    write_event("one");
    write_event("two");
    write_event("three");
    const auto events = store->events({.task = {}, .worker = {}, .after_id = 0, .limit = 10});
    StreamReader by_header(open("", {{"last-event-id", std::to_string(events.at(0).id)}}));
    auto read = by_header.read_until("event");
    const auto more = by_header.read_until("event");
    read.insert(read.end(), more.begin(), more.end());
    EXPECT_THAT(messages_of(read), ElementsAre("two", "three"));
    StreamReader by_parameter(open("?after=" + std::to_string(events.at(1).id)));
    EXPECT_THAT(messages_of(by_parameter.read_until("event")), ElementsAre("three"));
    write_event("four");
    EXPECT_THAT(messages_of(by_parameter.read_until("event")), ElementsAre("four"));
    EXPECT_THAT(messages_of(by_header.read_until("event")), ElementsAre("four"));
}

TEST_F(ApiLive, AReaderThatCouldNotBeToldWhatItMissedIsToldLaterAndOnce) {
    write_event("missed");
    api::HistoryReader history;
    history.begin_now(*store);
    api::EventStream stream({}, 0, api::Caller());
    const auto hello = api::message_of("hello", Value::object());
    database->raw()->execute("ALTER TABLE event RENAME TO elsewhere");
    EXPECT_THROW(stream.join(*store, history, hello), StoreError);
    EXPECT_FALSE(stream.has_joined());
    database->raw()->execute("ALTER TABLE elsewhere RENAME TO event");
    stream.join(*store, history, hello);
    EXPECT_TRUE(stream.has_joined());
    const auto told = stream.take();
    ASSERT_THAT(told, SizeIs(2));
    EXPECT_EQ(told[0].event, "hello");
    EXPECT_THAT(messages_of(told), ElementsAre("missed"));
}

#ifdef HOLDFAST_WITH_POSTGRES

/// Transactions that draw a number for a line of history, and commit it when the test says so.
class ApiLateLines : public ApiLive {
protected:
    ApiLateLines() : ApiLive(StoreKind::Postgres) {}
    void TearDown() override {
        raw.reset();
        ApiLive::TearDown();
    }
    void begin_late_line() {
        raw = database->raw();
        raw->execute("BEGIN");
        raw->execute("INSERT INTO event (at, kind, who, message) VALUES (now(), 'note', 'test', 'late')");
    }
    /// A line that is written during a round may carry an older id than its own; later lines catch up.
    void expect_ids_to_catch_up(StreamReader& reader) {
        const auto has_caught_up = [&] {
            write_event("next");
            return reader.read_until("event").back().id == std::to_string(store->last_events(1).front().id);
        };
        crew::wait_until(has_caught_up, "the id of the newest line");
    }
    std::unique_ptr<contract::RawSql> raw;
};

TEST_F(ApiLateLines, ALineThatIsCommittedLateIsToldLive) {
    StreamReader reader(open());
    (void)reader.read_until("changed");
    begin_late_line();
    write_event("early");
    EXPECT_THAT(messages_of(reader.read_until("event")), ElementsAre("early"));
    std::this_thread::sleep_for(4s);  // no time is long enough to give it up
    raw->execute("COMMIT");
    EXPECT_THAT(messages_of(reader.read_until("event")), ElementsAre("late"));
    write_event("last");
    EXPECT_THAT(messages_of(reader.read_until("event")), ElementsAre("last"));
}

TEST_F(ApiLateLines, ALineThatIsCommittedWhileTheReaderIsAwayIsToldWhenItComesBack) {
    write_event("known");
    auto first = std::make_unique<StreamReader>(open());
    (void)first->read_until("changed");
    begin_late_line();
    write_event("early");
    const auto told = first->read_until("event");
    EXPECT_THAT(messages_of(told), ElementsAre("early"));
    first.reset();
    raw->execute("COMMIT");
    StreamReader second(open("", {{"last-event-id", told.back().id}}));
    EXPECT_THAT(messages_of(second.read_until("event")), ElementsAre("late"));
    EXPECT_THAT(messages_of(second.read_until("event")), ElementsAre("early")) << "told twice, rather than never";
    write_event("last");
    EXPECT_THAT(messages_of(second.read_until("event")), ElementsAre("last"));
    expect_ids_to_catch_up(second);
}

TEST_F(ApiLateLines, ALineThatIsNeverCommittedHoldsNothingUp) {
    StreamReader reader(open());
    (void)reader.read_until("changed");
    begin_late_line();
    raw->execute("ROLLBACK");
    write_event("after");
    EXPECT_THAT(messages_of(reader.read_until("event")), ElementsAre("after"));
    expect_ids_to_catch_up(reader);
}

#endif

TEST_F(ApiLive, OnlyWhatPassesTheFilterIsTold) {
    StreamReader reader(open("?kind=wanted"));
    (void)reader.read_until("changed");
    write_event("no", "other");
    write_event("yes", "wanted");
    EXPECT_THAT(messages_of(reader.read_until("event")), ElementsAre("yes"));
}

TEST_F(ApiLive, TasksThatLiveANormalLifeAreToldAsChangesWithTheirCounts) {
    StreamReader reader(open());
    (void)reader.read_until("changed");
    (void)submit();
    const auto read = reader.read_until("changed");
    const Value changed = Value::parse(read.back().data);
    EXPECT_TRUE(changed.at("tasks"));
    EXPECT_EQ(changed.at("counts").at("pending"), 1);
}

TEST_F(ApiLive, ChangesAreToldAtMostFourTimesASecond) {
    StreamReader reader(open());
    (void)reader.read_until("changed");
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < 6; ++i) {
        store->submit({contract::a_task(store->now())});
        (void)reader.read_until("changed");
    }
    EXPECT_GE(std::chrono::steady_clock::now() - began, 5 * 240ms);
}

TEST_F(ApiLive, TheStreamOfARevokedTokenEnds) {
    const std::string token = make_token("victim", store::Scope::Read);
    restart(api::Login::Always);
    StreamReader reader(open("", {{"authorization", "Bearer " + token}}));
    (void)reader.read_until("changed");
    ASSERT_TRUE(store->revoke_token("victim", "another process"));
    const auto read = reader.read_until("bye");
    EXPECT_THAT(read.back().data, HasSubstr("revoked"));
    EXPECT_TRUE(reader.ended());
}

TEST_F(ApiLive, StreamsAndWaitsEndWithTheServer) {
    StreamReader reader(open());
    auto reply =
        std::get<http::Deferred>(api->handle(request_of({.target = "/api/tasks/" + submit() + "/wait"}))).reply;
    api->end_streams("the server stops");
    EXPECT_THAT(reader.read_until("bye").back().data, HasSubstr("the server stops"));
    EXPECT_EQ(reply->take()->status, 503);
}

TEST(ApiMessageQueue, ASlowReaderIsToldOfTheGapAndCostsNoMemory) {
    api::MessageQueue queue(3, {});
    for (int i = 0; i < 5; ++i) queue.push({.event = "event", .id = std::to_string(i)});
    const auto taken = queue.take();
    EXPECT_EQ(taken.front().event, "gap");
    EXPECT_LE(taken.size(), 4U);
    EXPECT_EQ(taken.back().id, "4") << "the newest is there";
    EXPECT_THAT(queue.take(), IsEmpty());
}

TEST(ApiMessageQueue, OnlyTheLatestChangeIsKept) {
    api::MessageQueue queue(3, {});
    for (int i = 0; i < 5; ++i) queue.push_latest({.event = "changed", .data = std::to_string(i)});
    const auto taken = queue.take();
    ASSERT_THAT(taken, SizeIs(1));
    EXPECT_EQ(taken[0].data, "4");
}

}  // namespace holdfast::api_test
